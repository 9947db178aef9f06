#!/usr/bin/env bash
# The one gate: sets up what it needs on a fresh Debian machine with a Rust toolchain, then checks everything.
#
#   deploy/check.sh            everything
#   deploy/check.sh --setup    only the set-up
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
# Where Debian keeps nginx, which not everyone has on their path.
export PATH=$PATH:/usr/sbin

say() { printf '\n== %s\n' "$*"; }

# Program → the Debian package that brings it.
needed=(redis-server:redis-server redis-cli:redis-tools promtool:prometheus curl:curl openssl:openssl postgres:postgresql
  chromium:chromium chromedriver:chromium-driver node:nodejs npm:npm venv:python3-venv nginx:nginx prometheus:prometheus
  systemd-analyze:systemd)

# Debian keeps PostgreSQL's server off the PATH, and Python's environments are a module.
has() {
  case $1 in
  venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
  *) command -v "$1" >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/$1" >/dev/null ;;
  esac
}

setup() {
  local missing=()
  for pair in "${needed[@]}"; do
    has "${pair%%:*}" || missing+=("${pair##*:}")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    say "Installing ${missing[*]}"
    local as_root=""
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
  for pair in "${needed[@]}"; do
    has "${pair%%:*}" || { echo "error: ${pair%%:*} is needed and could not be had" >&2; exit 1; }
  done
  node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' \
    || { echo "error: node $(node --version) is too old: 18 or newer is needed" >&2; exit 1; }
}

# The transitions in the reviewed snapshot are exactly those that the flows' transcripts walk.
check_edges() {
  local walked
  walked=$(mktemp)
  STEADFAST_EDGES=$walked cargo test -q --lib flows:: >/dev/null
  diff <(sort -u "$walked" | grep .) <(sort -u src/flows/edges.txt | grep -v '^#') \
    || { echo "error: src/flows/edges.txt (>) is not what the transcripts walk (<)" >&2; exit 1; }
  rm -f "$walked"
}

# Nothing that a test started may outlive it.
ours() {
  local named="redis-server .*steadfast|postgres .*steadfast-postgres|steadfast-edge-|steadfast-prometheus-|steadfast-browser-"
  pgrep -f "$PWD/target/|$named" || true
}

say "Set-up"
setup
[ "${1:-}" = --setup ] && exit 0
before=$(ours)

# First, since it wants to find nothing built.
say "From a fresh clone to the first reply"
deploy/fresh.sh
say "Format"
cargo fmt --all --check
say "Lints"
cargo clippy --locked --all-targets -- -D warnings
say "Documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --document-private-items --quiet
say "Tests"
# Most of them wait most of the time: one more than there are cores of a small machine.
cargo test --locked -- --test-threads=3
# Ignored above, since they need the machine for themselves: a thousand people, three replicas, and what is done to them.
say "Tests of the whole cluster"
cargo test --locked --test it cluster:: -- --ignored --test-threads=1 --nocapture
say "Tests of the page's modules"
node --test src/page/tests/*.test.js
say "Bots of other libraries against the emulator"
deploy/foreign.sh
say "What it is deployed with"
deploy/deployment.sh
say "Edges"
check_edges
say "The README's commands"
deploy/readme.sh
say "Nothing left behind"
after=$(ours)
[ "$before" = "$after" ] || { echo "error: processes left behind: $after" >&2; ps -o pid,args -p $after >&2; exit 1; }
say "All is well"
