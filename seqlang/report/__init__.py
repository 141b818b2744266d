"""What people and programs get to see of a result: `text` words it, `pictures` draws it, `document` shows it on a
terminal, and `check_json`, `certificate` and `table_file` write it for other programs; `writable` refuses files that
could not be written before the work is done. Nothing here computes anything but digits; results come from
`seqlang.results`, which asks for this package by name when somebody looks.
"""
