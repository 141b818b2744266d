"""Annotations in the words of the protocol."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from seqlang.annotations.completion import Item, ItemKind
from seqlang.annotations.edit import Edit
from seqlang.annotations.found import ClaimFound
from seqlang.annotations.outline import Entry
from seqlang.annotations.tokens import MODIFIERS, TYPES, Shown
from seqlang.annotations.values import Value
from seqlang.diagnostics import Diagnostic
from seqlang.diagnostics.explain import page_of
from seqlang.editor.documents import Document
from seqlang.proof.verdict import VERDICTS

_KINDS: dict[ItemKind, types.CompletionItemKind] = {
    "statement": types.CompletionItemKind.Keyword,
    "word": types.CompletionItemKind.Keyword,
    "name": types.CompletionItemKind.Variable,
    "law": types.CompletionItemKind.Class,
    "function": types.CompletionItemKind.Function,
    "argument": types.CompletionItemKind.Property,
    "notion": types.CompletionItemKind.Class,
    "label": types.CompletionItemKind.EnumMember,
    "spec": types.CompletionItemKind.File,
}
_SYMBOLS: dict[str, types.SymbolKind] = {
    "algorithm": types.SymbolKind.Class,
    "param": types.SymbolKind.Constant,
    "let": types.SymbolKind.Constant,
    "stream": types.SymbolKind.Field,
    "dataset": types.SymbolKind.Field,
    "public": types.SymbolKind.Field,
    "model": types.SymbolKind.Struct,
    "report": types.SymbolKind.Event,
    "stop": types.SymbolKind.Event,
    "attach": types.SymbolKind.Operator,
    "claim": types.SymbolKind.Boolean,
}


def diagnostic(document: Document, found: Diagnostic) -> types.Diagnostic:
    """With a link to the page of its code, its other places, and the remedy as the last line."""
    label = found.primary
    said = f"{found.message}: {label.text}" if label is not None and label.text else found.message
    lines = [said, *found.notes, *([f"help: {found.help}"] if found.help else [])]
    page = page_of(found.code)
    return types.Diagnostic(
        range=document.first_line if label is None else document.range(label.span),
        message="\n".join(lines),
        severity=types.DiagnosticSeverity.Error if found.severity == "error" else types.DiagnosticSeverity.Warning,
        code=found.code,
        code_description=None if page is None else types.CodeDescription(page.as_uri()),
        source="seqlang",
        related_information=[
            types.DiagnosticRelatedInformation(types.Location(document.uri, document.range(other.span)), other.text)
            for other in found.secondary
        ],
    )


def claim_diagnostic(document: Document, claim: ClaimFound) -> types.Diagnostic:
    """Of a claim whose verdict is not the one expected."""
    bad = VERDICTS[claim.verdict].tone == "bad"
    expected = "" if claim.expected == "proved" else f", expected {claim.expected}"
    return types.Diagnostic(
        range=document.range(claim.span),
        message=f"{claim.words}{expected}: {claim.because}",
        severity=types.DiagnosticSeverity.Error if bad else types.DiagnosticSeverity.Warning,
        code=claim.verdict,
        source="seqlang",
    )


def hint(document: Document, value: Value) -> types.InlayHint:
    return types.InlayHint(
        position=document.places.position(value.offset),
        label=value.text,
        tooltip=types.MarkupContent(types.MarkupKind.PlainText, value.tooltip),
        padding_left=True,
    )


def text_edits(document: Document, edits: Sequence[Edit]) -> list[types.TextEdit]:
    return [types.TextEdit(document.range(edit.span), edit.text) for edit in edits]


def workspace_edit(document: Document, edits: Sequence[Edit]) -> types.WorkspaceEdit:
    """For this version of the document, where the client sends versions."""
    identified = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identified, list(text_edits(document, edits)))])


def item(document: Document, found: Item, place: int) -> types.CompletionItem:
    """In the order in which they were found: what fits best comes first."""
    return types.CompletionItem(
        label=found.label,
        kind=_KINDS[found.kind],
        detail=found.detail,
        sort_text=f"{place:05}",
        filter_text=found.label,
        text_edit=types.TextEdit(document.range(found.span), found.text),
        data=found.label,
    )


def symbol(document: Document, entry: Entry) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=entry.name or entry.kind,
        detail=entry.kind,
        kind=_SYMBOLS.get(entry.kind, types.SymbolKind.Variable),
        range=document.range(entry.span),
        selection_range=document.range(entry.selection),
    )


def semantic_tokens(document: Document, found: Sequence[Shown]) -> list[int]:
    """Five numbers a token: lines and columns relative to the token before, length, type, modifiers. Tokens are on one
    line each: texts and comments end with their line."""
    data: list[int] = []
    line = column = 0
    for token in found:
        begin, end = document.places.position(token.span.start), document.places.position(token.span.end)
        if begin.line != end.line:
            continue
        bits = sum(1 << MODIFIERS.index(modifier) for modifier in token.modifiers)
        column_before = column if begin.line == line else 0
        data += [begin.line - line, begin.character - column_before, end.character - begin.character]
        data += [TYPES.index(token.type), bits]
        line, column = begin.line, begin.character
    return data
