"""The Redis of deploy/compose.yaml, by its own command line and its own health check, on this machine."""

import socket
import subprocess
import time
from pathlib import Path

import pytest
import yaml

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
PASSWORD = "made-up for this test"


class Redis:
    """A server, and the check that is made on it; both are fed the password by a file."""

    def __init__(self, place):
        self.place = place
        (place / "password").write_text(PASSWORD)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.service = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["redis"]
        command = self.here(self.service["command"][0]).replace("redis-server -", f"redis-server - --port {self.port}", 1)
        assert self.service["entrypoint"] == ["/bin/sh", "-c"]
        self.process = subprocess.Popen(["/bin/sh", "-c", command], stdout=subprocess.DEVNULL)

    def here(self, command):
        """A command of the container, at home here; `$$` is how compose writes `$`."""
        places = {"$$": "$", "/run/secrets/redis_password": f"'{self.place}/password'", "/data": f"'{self.place}'"}
        for there, here in places.items():
            assert there == "/data" or there in command
            command = command.replace(there, here)
        return command

    def is_healthy(self):
        kind, check = self.service["healthcheck"]["test"]
        assert kind == "CMD-SHELL"
        check = self.here(check).replace("redis-cli", f"redis-cli -p {self.port}")
        return subprocess.run(["/bin/sh", "-c", check], stderr=subprocess.DEVNULL).returncode == 0

    def answer(self, *words):
        asked = subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True)
        return asked.stdout.strip()


@pytest.fixture
def redis(tmp_path):
    redis = Redis(tmp_path)
    try:
        deadline = time.monotonic() + 60
        while not redis.is_healthy():
            assert redis.process.poll() is None and time.monotonic() < deadline, "it does not become healthy"
            time.sleep(0.1)
        yield redis
    finally:
        redis.process.terminate()
        redis.process.wait()


def test_it_is_closed_without_its_password_and_found_healthy_with_it(redis):
    assert redis.answer("PING").startswith("NOAUTH")
    (redis.place / "password").write_text("another")
    assert not redis.is_healthy()


def test_its_password_is_neither_on_its_command_line_nor_in_its_environment(redis):
    of = Path(f"/proc/{redis.process.pid}")
    assert b"redis-server" in (of / "cmdline").read_bytes()
    for part in ["cmdline", "environ"]:
        assert PASSWORD.encode() not in (of / part).read_bytes()
    check = redis.service["healthcheck"]["test"][1]
    # `printf` is the shell's own: what it is told is on no command line.
    assert check.startswith("printf ") and "REDISCLI_AUTH" not in check


def test_it_keeps_what_it_is_told_to_keep(redis):
    told = f'AUTH "{PASSWORD}"\nCONFIG GET appendonly\nCONFIG GET maxmemory-policy\n'
    said = subprocess.run(["redis-cli", "-p", str(redis.port)], input=told, capture_output=True, text=True)
    assert said.stdout.split() == ["OK", "appendonly", "yes", "maxmemory-policy", "noeviction"]
