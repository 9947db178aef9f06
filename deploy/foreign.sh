#!/usr/bin/env bash
# Runs bots written with other libraries (aiogram, grammY), unmodified, against the emulator.
set -euo pipefail
repo=$(cd "$(dirname "$0")/.." && pwd)
export BINARY=$repo/target/debug/steadfast PYTHONDONTWRITEBYTECODE=1
[ -x "$BINARY" ] || (cd "$repo" && cargo build --locked)

# What they need is installed once, beside what cargo builds.
home=$repo/target/foreign
mkdir -p "$home"
[ -x "$home/venv/bin/python" ] || python3 -m venv "$home/venv"
"$home/venv/bin/pip" install --quiet --disable-pip-version-check -r "$repo/tests/foreign/aiogram/requirements.txt"
cp -r "$repo/tests/foreign/." "$home/"
(cd "$home/grammy" && npm install --silent --no-audit --no-fund)

"$home/venv/bin/python" -m pytest -q -p no:cacheprovider "$home/test_bots.py"
