"""Capabilities that concern a text as a whole: it is opened, changed and closed, laid out, outlined and coloured."""

from __future__ import annotations

from lsprotocol import types

from seqlang.annotations.edit import Edit
from seqlang.annotations.outline import foldings, outline
from seqlang.annotations.tokens import MODIFIERS, TYPES, tokens
from seqlang.editor import shown
from seqlang.editor.server import Server
from seqlang.source import Span
from seqlang.syntax import format_text

LEGEND = types.SemanticTokensLegend(list(TYPES), list(MODIFIERS))


def register(server: Server) -> None:
    _register_changes(server)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        document = server.documents.get(params.text_document.uri)
        text = None if document is None else format_text(document.reading.source)[0]
        if document is None or text is None or text == document.text:
            return []
        return shown.text_edits(document, [Edit(Span(0, len(document.text)), text)])

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        document = server.documents.get(params.text_document.uri)
        return [] if document is None else [shown.symbol(document, entry) for entry in outline(document.reading)]

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folds(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        document = server.documents.get(params.text_document.uri)
        found = () if document is None else foldings(document.reading)
        return [types.FoldingRange(first - 1, last - 1, kind=kind) for first, last, kind in found]

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
    def colours(params: types.SemanticTokensParams) -> types.SemanticTokens:
        document = server.documents.get(params.text_document.uri)
        data = [] if document is None else shown.semantic_tokens(document, tokens(document.reading))
        return types.SemanticTokens(data)


def _register_changes(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        given = params.text_document
        server.changed(given.uri, given.version, given.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        given = params.text_document
        server.changed(given.uri, given.version, server.workspace.get_text_document(given.uri).source)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.closed(uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
