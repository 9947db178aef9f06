#!/usr/bin/env bash
# Runs the long proofs and writes their figures into the docs. Let the machine do nothing else meanwhile.
#
#   deploy/prove.sh            every proof
#   deploy/prove.sh cluster    one of: cluster, soak, updates, scale, first-build
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
# Debian keeps nginx here.
export PATH=$PATH:/usr/sbin

proofs=(cluster soak updates scale first-build)

# Runs a proof, which prints its figures as Markdown tables.
run() {
  case $1 in
  cluster) cluster_test cluster:: --skip cluster::soak ;;
  soak) cluster_test cluster::soak ;;
  updates | scale) cargo bench --locked --bench "$1" ;;
  first-build) deploy/fresh.sh ;;
  esac
}

# Runs these ignored tests of the cluster at full length.
cluster_test() {
  STEADFAST_CLUSTER_SECONDS=300 cargo test --locked --test it -- --ignored --test-threads=1 --nocapture "$@"
}

# Prints the page that shows the figures of a proof.
page() {
  case $1 in
  cluster | soak) echo docs/guarantees.md ;;
  *) echo docs/performance.md ;;
  esac
}

[ $# -gt 0 ] || set -- "${proofs[@]}"
for proof in "$@"; do
  [[ " ${proofs[*]} " == *" $proof "* ]] || { echo "error: unknown proof $proof; choose one of: ${proofs[*]}" >&2; exit 1; }
done

deploy/setup.sh
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- . ':!docs' || commit+=" with changes"
output=$(mktemp)
trap 'rm -f "$output"' EXIT
for proof in "$@"; do
  printf '\n== %s\n' "$proof"
  run "$proof" | tee "$output"
  deploy/figures.py "$proof" "$(page "$proof")" "Measured at commit $commit on $(nproc) cores." <"$output"
done
