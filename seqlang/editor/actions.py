"""Capabilities that act: values in line, lenses, fixes, and the commands behind them."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from seqlang.annotations.edit import Fix
from seqlang.annotations.remedies import remedies
from seqlang.editor import shown
from seqlang.editor.documents import Document
from seqlang.editor.jobs import OPENING, Opened
from seqlang.editor.server import Server
from seqlang.editor.workers import JobFailed
from seqlang.source import Span
from seqlang.syntax import tree

SEARCHES = {
    "noise": "Attach noise with a scale that proves this claim",
    "split": "Split the budget of this claim between the noises",
}
"""Fixes that are looked for only when somebody wants them, and their jobs."""
LENSES = {"run": "Run", "solve": "Solve", "plot": "Plot", "report": "Report"}


def register(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        document = server.documents.get(params.text_document.uri)
        if document is None or document.found is None:
            return []
        span = document.places.span(params.range)
        return [shown.hint(document, v) for v in document.found.values if span.start <= v.offset <= span.end]

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        document = server.documents.get(params.text_document.uri)
        return [] if document is None or document.reading.program is None else list(_lenses(document))

    _register_fixes(server)
    for job in OPENING:
        _register_command(server, job)

    @server.command("seqlang.witness")
    async def witness(uri: str, start: int) -> str | None:
        document = server.documents.get(uri)
        claims = () if document is None or document.found is None else document.found.claims
        claim = next((c for c in claims if c.span.start == start), None)
        return None if claim is None else await server.opened(Opened("witness.txt", claim.text))


def _lenses(document: Document) -> Iterator[types.CodeLens]:
    for job, title in LENSES.items():
        yield types.CodeLens(document.first_line, types.Command(title, f"seqlang.{job}", arguments=[document.uri]))
    for claim in () if document.found is None else document.found.claims:
        if claim.witnessed:
            command = types.Command("Show the witness", "seqlang.witness", arguments=[document.uri, claim.span.start])
            yield types.CodeLens(document.range(claim.span), command)


def _register_command(server: Server, job: str) -> None:
    @server.command(f"seqlang.{job}")
    async def carry_out(uri: str) -> str | None:
        document = server.documents.get(uri)
        if document is None:
            return None
        uri_of_result = None
        try:
            async for answer in server.workers.carried_out(job, document.text, document.reading.source.name):
                if isinstance(answer, Opened):
                    uri_of_result = await server.opened(answer)
                else:
                    server.told(f"seqlang {job}: {answer}", types.MessageType.Warning)
        except JobFailed as failed:
            server.told(f"seqlang {job}: {failed}", types.MessageType.Error)
        return uri_of_result


def _register_fixes(server: Server) -> None:
    kinds = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(kinds, resolve_provider=True))
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.documents.get(params.text_document.uri)
        return [] if document is None else list(_actions(document, document.places.span(params.range)))

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(action: types.CodeAction) -> types.CodeAction:
        data = action.data if isinstance(action.data, dict) else {}
        document = server.documents.get(str(data.get("uri")))
        job, start = data.get("job"), data.get("start")
        if document is None or job not in SEARCHES or data.get("version") != document.version:
            return action
        try:
            async for answer in server.workers.carried_out(job, document.text, document.reading.source.name, start):
                if isinstance(answer, Fix):
                    action.title, action.edit = answer.title, shown.workspace_edit(document, answer.edits)
                else:
                    server.told(f"seqlang: {answer}")
        except JobFailed as failed:
            server.told(f"seqlang: {failed}", types.MessageType.Error)
        return action


def _actions(document: Document, span: Span) -> Iterator[types.CodeAction]:
    """What can be done about what the span touches."""
    for found in document.reading.diagnostics:
        if found.primary is None or not _touch(found.primary.span, span):
            continue
        for fix in remedies(document.reading, found):
            quick = types.CodeActionKind.QuickFix
            said = [shown.diagnostic(document, found)]
            yield types.CodeAction(fix.title, quick, said, edit=shown.workspace_edit(document, fix.edits))
    if document.found is None:
        return
    claims = [c for c in document.found.claims if _touch(c.span, span)]
    for fix in document.found.fixes:
        inside = any(_touch(edit.span, claim.span) for edit in fix.edits for claim in claims)
        if inside or fix.title.startswith("Insert"):
            rewrite = types.CodeActionKind.RefactorRewrite
            yield types.CodeAction(fix.title, rewrite, edit=shown.workspace_edit(document, fix.edits))
    strong = {
        s.span.start for s in document.reading.file.statements if isinstance(s, tree.Claim) and s.kind == "strong"
    }
    for claim in claims:
        if claim.verdict != "proved" and claim.span.start in strong:
            for job, title in SEARCHES.items():
                data = {"uri": document.uri, "version": document.version, "job": job, "start": claim.span.start}
                said = [] if claim.ok else [shown.claim_diagnostic(document, claim)]
                yield types.CodeAction(title, types.CodeActionKind.QuickFix, said, data=data)


def _touch(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end
