"""The server: documents come in, diagnostics and proofs go out; the capabilities are in the modules beside."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from seqlang.annotations.found import Found
from seqlang.editor import shown
from seqlang.editor.documents import Document
from seqlang.editor.jobs import Opened
from seqlang.editor.workers import JobFailed, Workers
from seqlang.version import __version__

PAUSE = 0.25
"""Seconds after the last change until proofs begin."""


class Server(LanguageServer):
    """Full texts are exchanged: they are short, and nothing can get out of step."""

    def __init__(self) -> None:
        super().__init__("seqlang", __version__, types.TextDocumentSyncKind.Full)
        self.documents: dict[str, Document] = {}
        self.workers = Workers()
        self.folder: Path | None = None

    # ---- documents

    def changed(self, uri: str, version: int | None, text: str) -> None:
        """A new text: errors and warnings at once, proofs when they come."""
        self.closed(uri)
        encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding) or "utf-16")
        document = self.documents[uri] = Document(uri, version, text, encoding)
        self.publish(document)
        if document.reading.program is not None:
            document.task = asyncio.get_running_loop().create_task(self._prove(document))

    def closed(self, uri: str) -> None:
        document = self.documents.pop(uri, None)
        if document is not None:
            document.cancel()

    def publish(self, document: Document) -> None:
        """All that is wrong with it, as far as that is known."""
        found = [shown.diagnostic(document, d) for d in document.reading.diagnostics]
        if document.found is not None:
            found += [shown.claim_diagnostic(document, c) for c in document.found.claims if not c.ok]
        if document.failure:
            severity = types.DiagnosticSeverity.Warning
            found.append(types.Diagnostic(document.first_line, document.failure, severity, source="seqlang"))
        params = types.PublishDiagnosticsParams(document.uri, found, document.version)
        self.text_document_publish_diagnostics(params)

    async def _prove(self, document: Document) -> None:
        await asyncio.sleep(PAUSE)
        try:
            answers = self.workers.carried_out("check", document.text, document.reading.source.name)
            async for answer in answers:
                if isinstance(answer, Found):
                    document.found = answer
                else:
                    document.failure = str(answer)
                self.publish(document)
                self._refresh()
        except JobFailed as failed:
            document.failure = f"proofs: {failed}"
            self.publish(document)

    def _refresh(self) -> None:
        """Values in line and lenses are asked for anew."""
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    # ---- results

    async def opened(self, result: Opened) -> str:
        """Writes a result into a folder of its own, has the editor open it, and returns where it is."""
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="seqlang-"))
        file = self.folder / Path(result.name).name
        if isinstance(result.content, bytes):
            file.write_bytes(result.content)
        else:
            file.write_text(result.content, "utf-8")
        uri = file.as_uri()
        window = self.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            await self.window_show_document_async(types.ShowDocumentParams(uri, take_focus=False))
        else:
            self.told(f"seqlang: the result is in {file}")
        return uri

    def told(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        self.window_show_message(types.ShowMessageParams(kind, message))

    def end(self) -> None:
        """Leaves no process and no file behind."""
        self.workers.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
