"""KDD Cup 99 as Bittner et al. (2020) use it: 120 features on the unit ball, normal connections against attacks.

The file is kddcup.data_10_percent.gz of the UCI archive (494,021 rows; scikit-learn's `fetch_kddcup99` gets the same).
It is looked for as the environment variable KDDCUP99, in a folder, and in the folders shared/data beside and above it.

Every number below was written down without looking at the rows that are trained on: words from the description of the
data, ranges that a field can have. Two fields are left out (num_outbound_cmds, is_host_login: always 0), seven are
categories (which, the paper does not say; root_shell is our guess for the seventh), and the rest is scaled: counters by
their largest possible value, amounts without one by a logarithm. Then each row on its own is moved into the unit ball.
A vocabulary or a scale taken from the file would be refused: it moves with every row.

The rows are not in a random order (one run of attacks has 193,507 rows), and three quarters of them are copies: shuffle
before stream learning, and read the guarantee as one about a row, not about a host that sent thousands of them.
"""

from __future__ import annotations

import os
from pathlib import Path

FILE = "kddcup.data_10_percent.gz"
ROWS, TRAINING = 494_021, 400_000
"""Rows, of which the first are for training and the others for testing."""

SERVICES = """
IRC X11 Z39_50 auth bgp courier csnet_ns ctf daytime discard domain domain_u echo eco_i ecr_i efs exec finger ftp
ftp_data gopher hostnames http http_443 imap4 iso_tsap klogin kshell ldap link login mtp name netbios_dgm netbios_ns
netbios_ssn netstat nnsp nntp ntp_u other pm_dump pop_2 pop_3 printer private red_i remote_job rje shell smtp sql_net
ssh sunrpc supdup systat telnet tftp_u tim_i time urh_i urp_i uucp uucp_path vmnet whois
""".split()
FLAGS = "OTH REJ RSTO RSTOS0 RSTR S0 S1 S2 S3 SF SH".split()

FEATURES = ",".join(
    [
        "log1p(V1)/11",  # duration
        "V2{tcp|udp|icmp}",
        "V3{" + "|".join(SERVICES) + "}",
        "V4{" + "|".join(FLAGS) + "}",
        "log1p(V5..V6)/21",  # bytes sent and received
        "V7{0|1}",  # land
        "V8/3,V9/3,log1p(V10)/5,V11/5",  # wrong_fragment, urgent, hot, num_failed_logins
        "V12{0|1}",  # logged_in
        "log1p(V13)/9",  # num_compromised
        "V14{0|1}",  # root_shell
        "V15/2,log1p(V16)/9,log1p(V17)/5,V18/5,V19/10",
        "V22{0|1}",  # is_guest_login
        "V23..V24/511",
        "V25..V31",
        "V32..V33/255",
        "V34..V41",
    ]
)
COLUMNS = {"x": f"project({FEATURES})", "y": "V42{normal.=-1|*=1}"}


def find(folder: Path) -> Path | None:
    """The file, if it is here."""
    named = os.environ.get("KDDCUP99")
    here = folder.resolve()
    places = [here, *(parent / "shared" / "data" for parent in (here, *here.parents))]
    found = [*([Path(named)] if named else []), *(place / FILE for place in places)]
    return next((path for path in found if path.is_file()), None)
