#!/usr/bin/env bash
# From a fresh clone with an empty target: `cargo run`, the page, the first reply; with no other step and no network.
#
# A checkout that is as fresh as a clone is taken itself: whatever is built later uses this build. Any other is cloned, and what
# is built of the clone goes with it.
set -euo pipefail
repo=$(cd "$(dirname "$0")/.." && pwd)
. "$repo/deploy/playground.sh"

# What a clone does not have: what was built, and what a playground has kept.
is_fresh() { [ -z "$(ls -A "$1/target" 2>/dev/null)" ] && [ ! -e "$1/data" ]; }

# `cargo run` there, and nothing else, until the first reply.
play() {
  local place=$1 work=$2 address code=0
  is_fresh "$place" || { echo "error: $place is not as fresh as a clone" >&2; return 1; }
  cd "$place"
  env -u CARGO_TARGET_DIR cargo run --locked --offline >"$work/out" 2>"$work/err" &
  pid=$!
  trap 'kill "$pid" 2>/dev/null && wait "$pid" || true' EXIT
  address=$(address_in "$work/out" "$pid" 1500) && curl -sf "$address/" | grep '<html' >/dev/null && first_reply "$address" \
    || { cat "$work/out" "$work/err" >&2; return 1; }
  trap - EXIT
  kill "$pid"
  wait "$pid" || code=$?
  [ "$code" = 0 ] || { echo "error: it ended with $code" >&2; return 1; }
  [ "$(wc -l <"$work/out")" = 1 ] || { echo "error: it said more than one line:" >&2; cat "$work/out" >&2; return 1; }
  cat "$work/out"
}

if [ "${1:-}" = --without-network ]; then
  PATH=$PATH:/usr/sbin ip link set lo up
  play "$2" "$3"
  exit
fi

work=$(mktemp -d)
finish() {
  [ "$place" = "$repo" ] && rm -rf "$repo/data"
  rm -rf "$work"
}
if is_fresh "$repo"; then
  place=$repo
  echo "This checkout has no target: it is the fresh clone"
else
  place=$work/clone
  echo "This checkout has been built in: a clone of it is taken"
  git clone -q --no-hardlinks "$repo" "$place"
fi
trap finish EXIT

cd "$place"
# What the first `cargo run` downloads, and all that is ever needed of the network.
cargo fetch --locked --quiet
began=$SECONDS
if unshare -rn sh -c 'PATH=$PATH:/usr/sbin ip link set lo up' 2>/dev/null; then
  echo "Without any network but the loopback"
  unshare -rn "$repo/deploy/fresh.sh" --without-network "$place" "$work"
else
  echo "With cargo offline, since this machine permits no network of one's own"
  (play "$place" "$work")
fi
printf '| from a fresh clone, downloads not counted | |\n|---|---|\n| `cargo run` to the first reply | %s s |\n' $((SECONDS - began))
