#!/usr/bin/env bash
# Runs every check that a change must pass, the fast ones first. The long proofs are in deploy/prove.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
deploy/setup.sh
. deploy/leftovers.sh
adopt_orphans deploy/check.sh
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
# Debian keeps nginx here.
export PATH=$PATH:/usr/sbin

# Runs a command under a headline and prints its duration.
step() {
  local name=$1 began=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@"
  echo "-- $name: $((SECONDS - began)) s"
}

# Compares the reviewed transitions with those that the transcripts of the flows walk.
check_edges() {
  local walked
  walked=$(mktemp)
  STEADFAST_EDGES=$walked cargo test -q --locked -p field-service --lib flows:: >/dev/null
  diff <(sort -u "$walked" | grep .) <(sort -u src/transitions.txt | grep -v '^#') \
    || { echo "error: src/transitions.txt (>) is not what the transcripts walk (<)" >&2; exit 1; }
  rm -f "$walked"
}

step "Left processes are found" finds_hidden
step "Format" cargo fmt --all --check
step "Lints" cargo clippy --locked --workspace --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" step "Documentation" cargo doc --locked --workspace --no-deps --document-private-items --quiet
step "Unit tests" cargo test --locked --workspace --lib --bins
step "Transitions" check_edges
step "Tests of the page's modules" node --test crates/emulator/src/page/tests/*.test.js
# Alone, since they build.
step "Examples" cargo test --locked --test it examples::
# Three threads on two cores, since these tests mostly wait.
step "Integration tests" cargo test --locked --workspace --test '*' -- --test-threads=3 --skip examples::
step "Tests in the documentation" cargo test --locked --workspace --doc
step "Deployment files" deploy/deployment.sh
step "Commands of the docs" deploy/docs.sh
step "Bots of other libraries against the emulator" deploy/foreign.sh
# Alone, since the cluster needs the whole machine.
step "Cluster" cargo test --locked --test it cluster:: -- --ignored --skip cluster::soak --test-threads=1 --nocapture
step "Nothing left behind" nothing_left

printf '\n== All checks passed after %s min %s s\n' $((SECONDS / 60)) $((SECONDS % 60))
[ $SECONDS -le 1500 ] || echo "warning: the checks may take 25 minutes on two idle cores" >&2
