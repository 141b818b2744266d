"""A report as a value, and the two ways to show it. `document` defines headings, paragraphs, tables and derivations;
`plain_text` writes them for pipes and files without a heavy import; `rich_text` draws them on a terminal or as HTML,
and `bands` cuts tables that are wider than the screen.
"""
