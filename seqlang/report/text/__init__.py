"""The report of each command in words, one module a command or a part of a report. Each function takes a result of
`seqlang.results` and returns a `Document` or its blocks. Nothing is computed here but the digits that are shown.
"""
