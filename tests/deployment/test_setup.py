"""What deploy/setup.sh does to the machine it sets up: packages come, and none of their services is started."""

import re
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "deploy/setup.sh"
# Says what Debian would have been told when it was about to start a service.
APT = """#!/bin/sh
[ "$1" = install ] || exit 0
[ "$DEBIAN_FRONTEND" = noninteractive ] || exit 3
"$POLICY"
echo $? >"$POLICY.asked"
exit $APT_FAILS
"""


@pytest.fixture
def install(tmp_path):
    """Runs the function of the script with an apt-get that only asks, and a file of its own to be asked."""
    whole = SETUP.read_text()
    (function,) = re.findall(r"^install_packages\(\) \(\n.*?^\)\n", whole, re.M | re.S)
    assert "policy=/usr/sbin/policy-rc.d\n" in whole and 'install_packages "${missing[@]}"\n' in whole
    for name, text in {"apt-get": APT, "sudo": '#!/bin/sh\nexec "$@"\n'}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    policy = tmp_path / "policy-rc.d"

    def run(fails=0):
        script = f"set -euo pipefail\n{function}\ninstall_packages some-package"
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "POLICY": policy, "policy": policy, "APT_FAILS": str(fails)}
        code = subprocess.run(["bash", "-c", script], env=environment).returncode
        return code, (tmp_path / "policy-rc.d.asked").read_text().strip()

    return run, policy


@pytest.mark.parametrize("code", [0, 100])
def test_no_service_is_started_and_the_machine_is_left_as_it_was(install, code):
    run, policy = install
    assert run(fails=code) == (code, "101")
    assert not policy.exists()


def test_what_the_machine_has_decided_itself_is_kept(install):
    run, policy = install
    policy.write_text("#!/bin/sh\nexit 104\n")
    policy.chmod(0o755)
    assert run() == (0, "104")
    assert "104" in policy.read_text()
