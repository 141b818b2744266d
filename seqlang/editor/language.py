"""Capabilities that concern a place in a text: what stands there, what may stand there, and where it is declared."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from seqlang.annotations.completion import completions
from seqlang.annotations.meanings import explanation, page_on
from seqlang.annotations.names import Occurrence
from seqlang.annotations.renaming import references, renamable, renamed
from seqlang.annotations.signatures import signature
from seqlang.editor import shown
from seqlang.editor.documents import Document
from seqlang.editor.server import Server

Named = tuple[Occurrence, ...]


def register(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return None
        found = explanation(document.reading, document.offset(params.position), document.found)
        if found is None:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, found.text), document.range(found.span))

    @server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(["(", ","]))
    def signatures(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        document = server.documents.get(params.text_document.uri)
        found = None if document is None else signature(document.reading, document.offset(params.position))
        if found is None:
            return None
        parameters = [types.ParameterInformation(name, what) for name, what in found.parameters]
        return types.SignatureHelp([types.SignatureInformation(found.label, None, parameters)], 0, found.active)

    _register_references(server)
    _register_completion(server)
    _register_renaming(server)


def _register_references(server: Server) -> None:
    def named(uri: str, position: types.Position) -> tuple[Document | None, Named]:
        document = server.documents.get(uri)
        return document, () if document is None else references(document.reading, document.offset(position))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        document, found = named(params.text_document.uri, params.position)
        return [] if document is None else [document.location(o) for o in found if o.declares]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def all_references(params: types.ReferenceParams) -> list[types.Location]:
        document, found = named(params.text_document.uri, params.position)
        wanted = [o for o in found if params.context.include_declaration or not o.declares]
        return [] if document is None else [document.location(o) for o in wanted]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlights(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        document, found = named(params.text_document.uri, params.position)
        return [] if document is None else [types.DocumentHighlight(document.range(o.span)) for o in found]


def _register_completion(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions([".", "(", "~"], resolve_provider=True))
    def complete(params: types.CompletionParams) -> types.CompletionList:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return types.CompletionList(False, [])
        found = completions(document.reading, document.offset(params.position))
        return types.CompletionList(False, [shown.item(document, item, i) for i, item in enumerate(found)])

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    def resolved(item: types.CompletionItem) -> types.CompletionItem:
        page = page_on(str(item.data or "").removesuffix(" ="))
        if page is not None:
            item.documentation = types.MarkupContent(types.MarkupKind.Markdown, page)
        return item


def _register_renaming(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepared(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        document = server.documents.get(params.text_document.uri)
        if document is None or document.reading.name_at(document.offset(params.position)) is None:
            return None
        found = renamable(document.reading, document.offset(params.position))
        if isinstance(found, str):
            raise JsonRpcInvalidParams(found)
        return types.PrepareRenamePlaceholder(document.range(found.span), found.meaning.name)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return None
        edits = renamed(document.reading, document.offset(params.position), params.new_name)
        if isinstance(edits, str):
            raise JsonRpcInvalidParams(edits)
        return shown.workspace_edit(document, edits)
