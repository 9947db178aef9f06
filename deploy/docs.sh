#!/usr/bin/env bash
# Runs the `sh` blocks of README.md and docs/*.md. The blocks of a page are one script, run in a fresh copy of the checkout.
# Blocks marked `sh,manual` are not run; tests/it/docs.rs checks the files that they name.
#
#   deploy/docs.sh                      all pages
#   deploy/docs.sh docs/operations.md   only these
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/playground.sh
cargo build --locked --quiet
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/steadfast

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
export PATH=$PWD/target/debug:$PATH:/usr/sbin
export BOT_TOKEN=12345:for-the-docs-only WEBHOOK_SECRET=for-the-docs-only TELEGRAM_API_URL=http://127.0.0.1:9
export LISTEN_ADDR=127.0.0.1:$(free_port) OPS_ADDR=127.0.0.1:$(free_port) DRAIN_DELAY=0s

# A bare `cargo run` is a playground: it is started, used once and stopped.
cargo() {
  case $* in
  run) playground ;;
  run*" -- "*) steadfast ${*#* -- } ;;
  *) command cargo "$@" ;;
  esac
}

playground() {
  command steadfast >playground.log 2>&1 &
  local pid=$! address
  address=$(address_in playground.log "$pid" 30)
  curl -sf "$address/" >/dev/null
  first_reply "$address"
  kill "$pid"
  wait "$pid"
}

# Commands that run until they are stopped go to the background and end with their page.
steadfast() {
  case ${1-} in
  serve) background "steadfast health" "$@" ;;
  emulator) background "curl -sf http://127.0.0.1:8081/emulator/state" "$@" ;;
  *) command steadfast "$@" ;;
  esac
}

# Returns when the check succeeds.
background() {
  local check=$1
  command steadfast "${@:2}" >"$2.log" 2>&1 &
  trap 'kill $(jobs -p); wait' EXIT
  for _ in $(seq 300); do $check >/dev/null 2>&1 && return 0; sleep 0.1; done
  cat "$2.log"
  return 1
}
export -f cargo playground steadfast background address_in first_reply

[ $# -gt 0 ] || set -- README.md docs/*.md
for page; do
  grep -q '^```sh$' "$page" || continue
  awk 'BEGIN { print "set -v" } /^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$page" >"$work/script"
  rm -rf "$copy"
  mkdir -p "$copy"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -pt "$copy"
  (cd "$copy" && bash -euo pipefail "$work/script") >"$work/out" 2>&1 \
    || { cat "$work/out" >&2; echo "error: a command of $page failed" >&2; exit 1; }
  echo "$page: its commands work"
done
