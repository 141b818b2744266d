"""What can be said beside a text, place by place: for an editor in which it is written, and for a page that shows it.

All functions are pure, from a text, or from what was found out about it, to frozen values; nothing here knows how they
are shown. `reading` is where each begins: it never fails, also where the text is half typed.
"""
