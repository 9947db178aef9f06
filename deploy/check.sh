#!/usr/bin/env bash
# The one gate: sets up what it needs on a fresh Debian machine with a Rust toolchain, then checks everything.
#
#   deploy/check.sh            everything
#   deploy/check.sh --setup    only the set-up
#   deploy/check.sh --watch    only that it would notice a process that is left behind
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
# Where Debian keeps nginx, which not everyone has on their path.
export PATH=$PATH:/usr/sbin

say() { printf '\n== %s\n' "$*"; }

# Says what comes next, does it, and says how long it took.
step() {
  local name=$1 began=$SECONDS
  shift
  say "$name"
  "$@"
  echo "-- $name: $((SECONDS - began)) s"
}

# Program → the Debian package that brings it. `cc` is what Rust links with, and does not bring itself.
needed=(redis-server:redis-server redis-cli:redis-tools promtool:prometheus curl:curl openssl:openssl postgres:postgresql
  chromium:chromium chromedriver:chromium-driver node:nodejs npm:npm venv:python3-venv nginx:nginx prometheus:prometheus
  systemd-analyze:systemd git:git cc:build-essential)

# Debian keeps PostgreSQL's server off the PATH, and Python's environments are a module.
has() {
  case $1 in
  venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
  *) command -v "$1" >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/$1" >/dev/null ;;
  esac
}

# Installs packages, and starts none of the services they bring, which would outlive the check: Debian asks this file beforehand.
policy=/usr/sbin/policy-rc.d
install_packages() (
  as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  if [ ! -e "$policy" ]; then
    trap '$as_root rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | $as_root install -m 755 /dev/stdin "$policy"
  fi
  $as_root apt-get update -qq
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
)

setup() {
  local missing=()
  for pair in "${needed[@]}"; do
    has "${pair%%:*}" || missing+=("${pair##*:}")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    say "Installing ${missing[*]}"
    install_packages "${missing[@]}"
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
  STEADFAST_EDGES=$walked cargo test -q --lib company::flows:: >/dev/null
  diff <(sort -u "$walked" | grep .) <(sort -u src/company/flows/edges.txt | grep -v '^#') \
    || { echo "error: src/company/flows/edges.txt (>) is not what the transcripts walk (<)" >&2; exit 1; }
  rm -f "$walked"
}

# What the steps have started and not ended. Every orphan is adopted by this shell, so its children are all there is.
left() {
  local stat words
  for stat in /proc/[0-9]*/stat; do
    # Its name, in brackets, may hold anything; behind it come the state and the parent.
    words=$(cat "$stat" 2>/dev/null) || continue
    read -r state parent _ <<<"${words##*) }"
    stat=${stat%/stat}
    if [ "$parent" = $$ ] && [ "$state" != Z ] && [ "${stat#/proc/}" != "$BASHPID" ]; then
      echo "${stat#/proc/} $(tr '\0' ' ' <"$stat/cmdline" 2>/dev/null)"
    fi
  done
}

# Nothing that a step has started may outlive it; whoever is about to end gets a moment.
nothing_left() {
  local found=""
  for _ in $(seq "${1:-100}"); do
    found=$(left)
    [ -n "$found" ] || return 0
    sleep 0.1
  done
  printf 'error: processes left behind:\n%s\n' "$found" >&2
  return 1
}

# A process that hides as well as any does, by a session, a name and an environment of its own, is found.
check_watch() {
  local hidden
  hidden=$(mktemp)
  (setsid env -i bash -c 'echo $$; exec -a "redis-server 127.0.0.1:1" sleep 600' >"$hidden" 2>/dev/null </dev/null &)
  until [ -s "$hidden" ]; do sleep 0.1; done
  ! nothing_left 3 2>/dev/null || { echo "error: a process that is left behind would not be noticed" >&2; exit 1; }
  kill "$(cat "$hidden")"
  rm -f "$hidden"
  nothing_left
}

if [ "${ADOPTS:-}" != $$ ]; then
  step "Set-up" setup
  [ "${1:-}" = --setup ] && exit 0
  # From here on this shell is who the kernel gives orphans to (PR_SET_CHILD_SUBREAPER, which outlives exec): neither a name that
  # a server gives itself, nor a cleared environment, nor a session of its own gets anything past it.
  ADOPTS=$$ SECONDS=$SECONDS exec python3 -c 'import ctypes, os, sys; ctypes.CDLL(None).prctl(36, 1) == 0 or sys.exit("error: no prctl"); os.execv(sys.argv[1], sys.argv[1:])' \
    deploy/check.sh "$@"
fi
step "Whether anything left behind would be noticed" check_watch
[ "${1:-}" = --watch ] && exit 0

# First, since it wants to find nothing built.
step "From a fresh clone to the first reply" deploy/fresh.sh
step "Format" cargo fmt --all --check
step "Lints" cargo clippy --locked --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" step "Documentation" cargo doc --locked --no-deps --document-private-items --quiet
# Most of them wait most of the time: one more than there are cores of a small machine.
step "Tests" cargo test --locked -- --test-threads=3
# Ignored above, since they need the machine for themselves: a thousand people, three replicas, and what is done to them.
step "Tests of the whole cluster" cargo test --locked --test it cluster:: -- --ignored --test-threads=1 --nocapture
step "Tests of the page's modules" node --test crates/emulator/src/page/tests/*.test.js
step "Bots of other libraries against the emulator" deploy/foreign.sh
step "What it is deployed with" deploy/deployment.sh
step "Edges" check_edges
step "The README's commands" deploy/readme.sh
step "Nothing left behind" nothing_left
say "All is well, after $((SECONDS / 60)) min $((SECONDS % 60)) s"
[ $SECONDS -le 1800 ] || echo "warning: that is more than the 30 minutes it may take on two cores with nothing else to do" >&2
