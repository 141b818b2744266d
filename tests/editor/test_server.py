"""The language server, asked by a client over the protocol: each capability once, on texts whose answers are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from talking import Client, Refused, edited, file_of, offset_of, position, words_at

pytest.importorskip("pygls", reason="the language server needs the extra `editor`")

SAFETY = """\
algorithm safety "Stop a trial for harm"
param eps   > 0 = 1
param limit > 0 = 20

stream harmed in {0, 1}
statistic total = sum(harmed over steps)
stop when total >= limit return halt
attach laplace(1 / eps) to limit once
attach laplace(1 / eps) to total
claim strong pure(eps)
"""
LEAKS = SAFETY.replace("attach laplace(1 / eps) to limit once\n", "")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.end()


@pytest.fixture(scope="module")
def safety(client: Client) -> str:
    return client.open(SAFETY, "file:///safety.seq")


@pytest.fixture(scope="module")
def leaks(client: Client) -> str:
    return client.open(LEAKS, "file:///leaks.seq")


def actions(client: Client, uri: str, text: str, offset: int) -> dict[str, dict[str, Any]]:
    """The code actions at a place by their titles."""
    at = position(text, offset)
    params = {"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": {"diagnostics": []}}
    return {action["title"]: action for action in client.ask("textDocument/codeAction", params)}


def after(action: dict[str, Any], text: str) -> str:
    (change,) = action["edit"]["documentChanges"]
    return edited(text, change["edits"])


def test_errors_while_typing(client: Client) -> None:
    text = "algorithm a\nstream entry in {0, 1}\nstop when entri > 0 && entry < 2\n"
    uri = client.open(text, "file:///typed.seq")
    (found,) = client.diagnostics(uri)
    assert (found["code"], found["severity"]) == ("E0113", 1)
    assert words_at(text, [found["range"]]) == ["&&"]
    assert file_of(found["codeDescription"]["href"]).read_text("utf-8").startswith("# E0113")
    text = after(actions(client, uri, text, text.index("&&"))["Replace `&&` by `and`"], text)
    client.change(text, uri)
    (found,) = client.diagnostics(uri)
    assert found["code"] == "E0203" and "did you mean `entry`?" in found["message"]
    text = after(actions(client, uri, text, text.index("entri"))["Replace `entri` by `entry`"], text)
    client.change(text, uri)
    client.diagnostics(uri, lambda found: all(d["severity"] > 1 for d in found))
    client.close(uri)


def test_where_else_a_mistake_is(client: Client) -> None:
    text = "algorithm a\nparam x = 1\nparam x = 2\n"
    uri = client.open(text, "file:///twice.seq")
    found = next(d for d in client.diagnostics(uri) if d["code"] == "E0201")
    (other,) = found["relatedInformation"]
    assert offset_of(text, other["location"]["range"]["start"]) == text.index("x = 1")
    client.close(uri)


def test_values_in_line(client: Client, safety: str) -> None:
    beside = {hint["position"]["line"]: hint["label"] for hint in client.proved(safety, SAFETY, "proved")}
    assert beside[5] == "sensitivity 1, uniform"
    assert beside[7] == "costs eps = 1" and beside[8] == "costs eps = 1 a draw"
    assert beside[9].startswith("eps = 1 proved, ≥ 0.99")


def test_a_refuted_claim(client: Client, leaks: str) -> None:
    found = client.diagnostics(leaks, lambda found: any(d["code"] == "refuted" for d in found))
    (claim,) = [d for d in found if d["code"] == "refuted"]
    assert claim["severity"] == 1 and "no finite epsilon" in claim["message"]
    assert words_at(LEAKS, [claim["range"]]) == ["claim strong pure(eps)"]


def test_the_verdict_of_an_old_text_never_comes(client: Client) -> None:
    uri = client.open(LEAKS, "file:///edited.seq")
    client.change(LEAKS.replace("stop when", "stop  when"), uri)
    client.change(LEAKS.replace("stop when", "\nstop when"), uri)
    client.diagnostics(uri, lambda found: any(d["code"] == "refuted" for d in found))
    published = [
        m["params"] for m in client.notes
        if m["method"] == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri
    ]  # fmt: skip
    assert {p["version"] for p in published if any(d["code"] == "refuted" for d in p["diagnostics"])} == {3}
    client.close(uri)


def test_hover(client: Client, safety: str) -> None:
    def says(word: str) -> str:
        found = client.place("hover", safety, SAFETY, SAFETY.index(word))
        assert found["contents"]["kind"] == "markdown"
        return str(found["contents"]["value"])

    assert "sensitivity `1`, uniform" in says("total =") and "private, noised" in says("total =")
    assert says("laplace").startswith("# `laplace(b)`")
    client.proved(safety, SAFETY, "proved")
    assert "✓ proved" in says("claim") and "alignment/stopping" in says("claim")
    assert client.place("hover", safety, SAFETY, SAFETY.index("= 20") + 3) is None


def test_signature_help(client: Client) -> None:
    text = SAFETY + "statistic s = clip(total, 0, "
    uri = client.open(text, "file:///call.seq")
    found = client.place("signatureHelp", uri, text, len(text))
    assert found["signatures"][0]["label"] == "clip(x, low, high)" and found["activeParameter"] == 2
    client.close(uri)


def test_completion(client: Client) -> None:
    text = SAFETY + "attach lap"
    uri = client.open(text, "file:///completed.seq")
    found = client.place("completion", uri, text, len(text))["items"]
    item = next(i for i in found if i["label"] == "laplace")
    assert edited(text, [item["textEdit"]]).endswith("attach laplace(")
    page = client.ask("completionItem/resolve", item)["documentation"]["value"]
    assert page.startswith("# `laplace(b)`")
    client.close(uri)


def test_definition_and_references(client: Client, safety: str) -> None:
    place = SAFETY.index("limit return")
    (found,) = client.place("definition", safety, SAFETY, place)
    assert offset_of(SAFETY, found["range"]["start"]) == SAFETY.index("limit >")
    uses = client.place("references", safety, SAFETY, place, context={"includeDeclaration": False})
    assert words_at(SAFETY, [u["range"] for u in uses]) == ["limit", "limit"]
    assert len(client.place("documentHighlight", safety, SAFETY, place)) == 3


def test_rename(client: Client, safety: str) -> None:
    place = SAFETY.index("limit return")
    prepared = client.place("prepareRename", safety, SAFETY, place)
    assert prepared["placeholder"] == "limit" and words_at(SAFETY, [prepared["range"]]) == ["limit"]
    changes = client.place("rename", safety, SAFETY, place, newName="bound")["documentChanges"]
    assert changes[0]["textDocument"]["version"] == 1
    assert edited(SAFETY, changes[0]["edits"]) == SAFETY.replace("limit", "bound")
    for name, why in (("total", "would change"), ("step", "word of the language"), ("2", "no name")):
        with pytest.raises(Refused, match=why):
            client.place("rename", safety, SAFETY, place, newName=name)
    assert client.place("prepareRename", safety, SAFETY, SAFETY.index("> 0")) is None
    with pytest.raises(Refused, match="language"):
        client.place("prepareRename", safety, SAFETY, SAFETY.index("laplace"))


def test_symbols_and_foldings(client: Client, safety: str) -> None:
    found = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": safety}})
    assert [(s["detail"], s["name"]) for s in found[:3]] == [
        ("algorithm", "safety"), ("param", "eps"), ("param", "limit"),
    ]  # fmt: skip
    assert found[-1]["name"] == "strong pure(eps)"
    assert client.ask("textDocument/foldingRange", {"textDocument": {"uri": safety}}) == []


def test_semantic_tokens(client: Client, safety: str) -> None:
    legend = client.capabilities["semanticTokensProvider"]["legend"]
    data = client.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": safety}})["data"]
    lines, found = SAFETY.split("\n"), []
    line = column = 0
    for down, right, length, kind, bits in (data[i : i + 5] for i in range(0, len(data), 5)):
        line, column = line + down, right if down else column + right
        modifiers = {name for i, name in enumerate(legend["tokenModifiers"]) if bits >> i & 1}
        found.append((lines[line][column : column + length], legend["tokenTypes"][kind], modifiers))
    assert found[0] == ("algorithm", "keyword", set())
    assert ("total", "variable", {"declaration", "private", "noised"}) in found
    assert ("halt", "enumMember", {"declaration", "readonly", "public"}) in found
    assert ("laplace", "type", {"defaultLibrary"}) in found


def test_formatting(client: Client) -> None:
    text = "algorithm a\nparam   x=1 # one\nstop when x>2\n"
    uri = client.open(text, "file:///loose.seq")
    options = {"tabSize": 4, "insertSpaces": True}
    edits = client.ask("textDocument/formatting", {"textDocument": {"uri": uri}, "options": options})
    assert "param x = 1" in edited(text, edits) and "stop when x > 2\n" in edited(text, edits)
    client.change("algorithm (", uri)
    assert client.ask("textDocument/formatting", {"textDocument": {"uri": uri}, "options": options}) == []
    client.close(uri)


def test_fixes_of_a_claim(client: Client, leaks: str) -> None:
    client.proved(leaks, LEAKS, "refuted")
    offered = actions(client, leaks, LEAKS, LEAKS.index("claim"))
    marked = offered["Mark `claim strong pure(eps)` as `expect refuted`"]
    assert after(marked, LEAKS) == LEAKS.replace("pure(eps)", "pure(eps) expect refuted")
    searched = offered["Attach noise with a scale that proves this claim"]
    assert "edit" not in searched
    found = client.ask("codeAction/resolve", searched)
    assert found["title"] == "Attach laplace(1 / eps) to `limit`"
    assert after(found, LEAKS).replace("attach laplace(1 / eps) to total\n", "") == SAFETY.replace(
        "attach laplace(1 / eps) to total\n", ""
    )


def test_lenses_and_commands(client: Client, leaks: str) -> None:
    client.proved(leaks, LEAKS, "refuted")
    lenses = client.ask("textDocument/codeLens", {"textDocument": {"uri": leaks}})
    commands = {lens["command"]["title"]: lens["command"] for lens in lenses}
    assert set(commands) == {"Run", "Solve", "Plot", "Report", "Show the witness"}
    offered = client.capabilities["executeCommandProvider"]["commands"]
    assert {command["command"] for command in commands.values()} <= set(offered)
    for title, words in (("Show the witness", "no finite epsilon"), ("Report", "Statistics")):
        command = commands[title]
        uri = client.ask("workspace/executeCommand", {k: command[k] for k in ("command", "arguments")})
        shown = client.until(lambda m, uri=uri: m["method"] == "window/showDocument" and m["params"]["uri"] == uri)
        assert words in file_of(shown["params"]["uri"]).read_text("utf-8")


def test_a_command_that_cannot_be_carried_out_says_why(client: Client, safety: str) -> None:
    assert client.ask("workspace/executeCommand", {"command": "seqlang.solve", "arguments": [safety]}) is None
    said = client.until(lambda m: m["method"] == "window/showMessage" and "seqlang solve" in m["params"]["message"])
    assert "no `model` statement" in said["params"]["message"]


def test_columns_are_counted_in_utf_16(client: Client) -> None:
    text = 'algorithm a "😀é" stream x in {0, 1} stop when x > 0\r\nclaim strong pure(x)\n'
    uri = client.open(text, "file:///wide.seq")
    found = client.diagnostics(uri)
    line = text.split("\r\n")[1]
    at = [d["range"] for d in found if d["range"]["start"]["line"] == 1]
    assert [line[r["start"]["character"] : r["end"]["character"]] for r in at] == ["x"]
    (place,) = client.place("definition", uri, text, text.index("x > 0"))
    assert place["range"]["start"]["character"] == len('algorithm a "😀é" stream ') + 1
    client.close(uri)


def test_what_was_closed_is_forgotten(client: Client) -> None:
    uri = client.open(SAFETY, "file:///closed.seq")
    client.close(uri)
    assert client.place("hover", uri, SAFETY, SAFETY.index("total")) is None
    assert client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}}) == []
