#!/usr/bin/env bash
# Measures the time from a fresh clone to the first reply: `cargo run`, the page, a reply; no other step and no network.
set -euo pipefail
repo=$(cd "$(dirname "$0")/.." && pwd)
. "$repo/deploy/playground.sh"

# Runs `cargo run` in the clone until the first reply.
play() {
  local work=$1 address code=0
  cd "$work/clone"
  env -u CARGO_TARGET_DIR cargo run --locked --offline >"$work/out" 2>"$work/err" &
  pid=$!
  trap 'kill "$pid" 2>/dev/null && wait "$pid" || true' EXIT
  address=$(address_in "$work/out" "$pid" 1500) && curl -sf "$address/" | grep '<html' >/dev/null && first_reply "$address" \
    || { cat "$work/out" "$work/err" >&2; return 1; }
  trap - EXIT
  kill "$pid"
  wait "$pid" || code=$?
  [ "$code" = 0 ] || { echo "error: cargo run ended with $code" >&2; return 1; }
  [ "$(wc -l <"$work/out")" = 1 ] || { echo "error: cargo run printed more than one line:" >&2; cat "$work/out" >&2; return 1; }
  cat "$work/out"
}

if [ "${1:-}" = --without-network ]; then
  PATH=$PATH:/usr/sbin ip link set lo up
  play "$2"
  exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q --no-hardlinks "$repo" "$work/clone"
cd "$work/clone"
# The first `cargo run` downloads the crates, and nothing later needs the network.
cargo fetch --locked --quiet
began=$SECONDS
if unshare -rn sh -c 'PATH=$PATH:/usr/sbin ip link set lo up' 2>/dev/null; then
  echo "With no network but the loopback"
  unshare -rn "$repo/deploy/fresh.sh" --without-network "$work"
else
  echo "With cargo offline, since this machine permits no network namespace"
  (play "$work")
fi
printf '| from a fresh clone, without the downloads | |\n|---|---|\n| `cargo run` to the first reply | %s s |\n' $((SECONDS - began))
