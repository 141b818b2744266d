"""Over real sockets: who is refused, what is too much, and how the server ends."""

from __future__ import annotations

import base64
import http.client
import signal
import socket
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

if TYPE_CHECKING:
    from conftest import Server

pytest.importorskip("nicegui", reason="the extra `studio` is not installed")
GIGABYTE = 2**30


def token(server: Server) -> str:
    return parse_qs(urlsplit(server.url).query)["token"][0]


def asked(server: Server, path: str, method: str = "GET", body: object = None, **headers: str) -> tuple[int, bytes]:
    """Exactly that path, with these headers (`_` for `-`) in place of the usual ones."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    given = {"Host": f"127.0.0.1:{server.port}", "Cookie": f"seqlang_studio_{server.port}={token(server)}"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection.putrequest(method, path, skip_host=True)
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders()
    try:
        for part in body or ():  # type: ignore[attr-defined]
            connection.send(part)
    except OSError:
        pass  # refused before all was sent
    answer = connection.getresponse()
    return answer.status, answer.read()


def resident(server: Server) -> int:
    """Bytes of memory of the server's process."""
    (line,) = [x for x in Path(f"/proc/{server.process.pid}/status").read_text().splitlines() if x.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


def test_the_printed_address_answers_without_cookie_or_redirect(server: Server) -> None:
    status, body = asked(server, f"/?token={token(server)}", Cookie="")
    assert status == 200 and b"seqlang studio" in body


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Cookie": "seqlang_studio=x"},
    ],
)
@pytest.mark.parametrize("path", ["/", "/static/page.css", "/_nicegui_ws/socket.io/?EIO=4&transport=polling"])
def test_others_are_refused(server: Server, headers: dict[str, str], path: str) -> None:
    status, body = asked(server, path, **headers)
    assert status == 403 and len(body) < 500 and token(server).encode() not in body


def test_a_wrong_token_is_refused_even_with_the_cookie(server: Server) -> None:
    assert asked(server, "/?token=wrong")[0] == 403


def test_a_socket_of_another_page_is_refused(server: Server) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13",
               "Sec_WebSocket_Key": base64.b64encode(b"0" * 16).decode()}  # fmt: skip
    path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    assert asked(server, path, Origin="http://evil.example", **upgrade)[0] == 403
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as own:
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", f"Origin: http://127.0.0.1:{server.port}",
                 f"Cookie: seqlang_studio_{server.port}={token(server)}"]  # fmt: skip
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in upgrade.items()]
        own.sendall("\r\n".join([*lines, "", ""]).encode())
        assert own.recv(100).startswith(b"HTTP/1.1 101")


@pytest.mark.parametrize(
    "path",
    ["/static/../page.py", "/static/%2e%2e/page.py", "/static/..%2fpage.py", "/static//etc/passwd",
     "/static/%2fetc/passwd", "/_nicegui/auto/static/../../etc/passwd", "/..%2f..%2f..%2fetc/passwd",
     "/static/....//page.py"],
)  # fmt: skip
def test_no_path_leads_out(server: Server, path: str) -> None:
    status, body = asked(server, path)
    assert status in (400, 404) and b"root:" not in body and b"from seqlang" not in body


@pytest.mark.parametrize("spec", ["../secret.seq", "/etc/passwd", "@../../etc/passwd", "a\0.seq", "x" * 3000])
def test_no_spec_leads_out(server: Server, spec: str) -> None:
    (server.folder.parent / "secret.seq").write_text("algorithm secret_of_others\n")
    status, body = asked(server, f"/?token={token(server)}&panel=see&spec={quote(spec)}")
    assert status == 200 and b"secret_of_others" not in body and b"root:" not in body


def zeros(total: int) -> Iterator[bytes]:
    part = bytes(2**20)
    for _ in range(total // len(part)):
        yield part


def test_a_gigabyte_is_refused_before_it_is_read(server: Server) -> None:
    before = resident(server)
    status, body = asked(server, "/", "POST", zeros(2**23), Content_Length=str(GIGABYTE))
    assert status == 413 and len(body) < 500
    status, _ = asked(server, "/_nicegui_ws/socket.io/?EIO=4&transport=polling", "POST", Content_Length=str(GIGABYTE))
    assert status == 413
    assert resident(server) - before < 50 * 2**20


def test_a_gigabyte_without_a_stated_length_is_not_kept(server: Server) -> None:
    before = resident(server)
    chunks = (f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in zeros(GIGABYTE // 4))
    path = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    try:
        status, _ = asked(server, path, "POST", chunks, Transfer_Encoding="chunked")
        assert status >= 400
    except (OSError, http.client.HTTPException):
        pass  # the connection was closed
    assert resident(server) - before < 150 * 2**20
    assert asked(server, "/")[0] == 200


def test_a_state_that_would_become_huge_is_left_out(server: Server) -> None:
    bomb = base64.urlsafe_b64encode(zlib.compress(b"a" * 10**8, 9)).decode().rstrip("=")
    before = resident(server)
    status, _ = asked(server, f"/?token={token(server)}&panel=see&text={bomb[:60_000]}")
    assert status in (200, 400, 414) and resident(server) - before < 50 * 2**20


def test_it_ends_soon_with_pages_open_and_the_link_opens_again(
    page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from conftest import Server

    short = TemporaryDirectory()  # the path of a socket has at most some hundred letters
    left = Path(short.name)
    monkeypatch.setenv("TMPDIR", short.name)
    first = Server(tmp_path, "--port", "0")
    page.goto(f"{first.url}&panel=learn&spec=@bittner2020/private_sgd")
    private = tmp_path / "private.csv"
    private.write_text("x,y\n1,2\n")
    page.get_by_label("hand over a file").set_input_files(private)
    page.get_by_text("is here, as long as this tab is open").wait_for()
    assert any(file.read_bytes() == private.read_bytes() for file in left.glob("*/*") if file.is_file())
    link = f"{first.url}&panel=see&spec=@tight/one_sided&set.lz=2"
    other = page.context.new_page()  # the first one stays open
    other.goto(link)
    shown = other.get_by_label("lz", exact=True).last
    shown.wait_for()
    began = time.monotonic()
    assert first.end(signal.SIGTERM) == 0 and time.monotonic() - began < 15
    assert not list(left.glob("seqlang-studio-*"))
    monkeypatch.delenv("TMPDIR")
    short.cleanup()
    page = other
    second = Server(tmp_path, "--port", str(first.port))
    assert second.url == first.url
    page.goto(link)
    shown.wait_for()
    assert shown.input_value() == "2"
    second.process.kill()
    second.process.wait()
    third = Server(tmp_path, "--port", str(first.port))
    page.goto(link)
    shown.wait_for()
    assert third.end(signal.SIGINT) == 0  # as Ctrl-C
