#!/usr/bin/env bash
# Checks what the bot is deployed with by the programs that will read it: promtool, prometheus, systemd-analyze, hadolint, and the
# schemas of compose and Kubernetes. (nginx is checked before real servers, and names against /metrics and the list of variables,
# by the tests: `cargo test --test it deployment::`.)
#
#   deploy/deployment.sh            everything
#   deploy/deployment.sh rules      one of: rules, scrape, files, image, unit, secrets
set -euo pipefail
cd "$(dirname "$0")/.."
binary=$PWD/target/debug/steadfast
[ -x "$binary" ] || cargo build --locked
work=$(mktemp -d)
started=()
finish() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT

fail() { echo "error: $*" >&2; exit 1; }

# Runs quietly, and tells all when it fails.
quietly() { "$@" >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "$* failed"; }; }

# Asks until there is an answer.
until_true() {
  for _ in $(seq 300); do "$@" && return 0; sleep 0.2; done
  return 1
}

# Every alert fires when it should, and only then.
rules() {
  quietly promtool check rules deploy/alerts.yml deploy/analytics.yml
  quietly promtool test rules deploy/alerts.test.yml deploy/analytics.test.yml
  cp deploy/prometheus.yml deploy/alerts.yml deploy/analytics.yml "$work/"
  echo token >"$work/ops_token"
  quietly promtool check config "$work/prometheus.yml"
  deploy/rules.sh | cmp -s - deploy/kubernetes/rules.yaml || fail "run deploy/rules.sh >deploy/kubernetes/rules.yaml"
}

# A real Prometheus, with the deployed configuration, gets past the guard of a server that others can reach.
scrape() {
  local ops port
  printf 'made-up-%s' "$$" >"$work/ops_token"
  cp deploy/alerts.yml deploy/analytics.yml "$work/"
  (cd "$work" && exec env STORE=memory BOT_TOKEN=12345:for-a-scrape WEBHOOK_SECRET=for-a-scrape OPS_TOKEN_FILE=ops_token \
    OPS_ADDR=0.0.0.0:0 LISTEN_ADDR=127.0.0.1:0 TELEGRAM_API_URL=http://127.0.0.1:9 DRAIN_DELAY=0s "$binary" serve >log 2>&1) &
  started+=($!)
  until_true grep -q 'ops=' "$work/log" || { cat "$work/log" >&2; fail "the server did not start"; }
  ops=127.0.0.1:$(grep -o 'ops=[0-9.:]*' "$work/log" | cut -d: -f2 | head -1)
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  sed "s/bot-1:9100, bot-2:9100, bot-3:9100/$ops/; s/localhost:9090/127.0.0.1:$port/; s/: 15s/: 1s/" deploy/prometheus.yml \
    >"$work/prometheus.yml"
  prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" --web.listen-address="127.0.0.1:$port" \
    >"$work/prometheus.log" 2>&1 &
  started+=($!)
  until_true answers "$port" 'up{job="steadfast"}==1' || { cat "$work/prometheus.log" >&2; fail "the server is not scraped"; }
  until_true answers "$port" 'steadfast_store_up{job="steadfast"}==1' || fail "nothing is known of the store"
  curl -sf "http://127.0.0.1:$port/api/v1/rules" >"$work/rules"
  grep -q SteadfastStoreDown "$work/rules" || fail "the alerts are not loaded"
  grep -q SteadfastStateSlow "$work/rules" || fail "the rules about people in flows are not loaded"
}

# Whether Prometheus finds anything for this expression.
answers() { curl -sf "http://127.0.0.1:$1/api/v1/query" --data-urlencode "query=$2" | grep -q '"value":'; }

# Python's tools are installed once, beside what cargo builds.
install_tools() {
  tools=$PWD/target/deployment/bin
  [ -x "$tools/python" ] || python3 -m venv target/deployment
  cmp -s tests/deployment/requirements.txt target/deployment/installed && return
  "$tools/pip" install --quiet --disable-pip-version-check -r tests/deployment/requirements.txt
  cp tests/deployment/requirements.txt target/deployment/installed
}

# Every file is of its schema, and they fit together.
files() {
  install_tools
  quietly "$tools/check-jsonschema" --builtin-schema vendor.compose-spec deploy/compose.yaml
  local manifest
  for manifest in deploy/kubernetes/*.yaml; do
    case $manifest in
    # None of them is of Kubernetes itself; test_files.py looks at them.
    */kustomization.yaml | */servicemonitor.yaml | */rules.yaml) ;;
    *) quietly "$tools/kubernetes-validate" --strict "$manifest" ;;
    esac
  done
  sed 's/terminationGracePeriodSeconds: 50/terminationGracePeriodSeconds: soon/' deploy/kubernetes/deployment.yaml >"$work/wrong.yaml"
  ! "$tools/kubernetes-validate" --strict "$work/wrong.yaml" >/dev/null 2>&1 || fail "a wrong manifest is taken for right"
  PYTHONDONTWRITEBYTECODE=1 quietly "$tools/python" -m pytest -q -p no:cacheprovider tests/deployment
}

# No image is built here, where there is no Docker; but its recipe is looked at, and what it builds is compiled of nothing but what
# .dockerignore lets in, as far as to be sure that no file is missing.
image() {
  install_tools
  quietly "$tools/hadolint" deploy/Dockerfile
  local line
  line=$(grep -o 'cargo build --release [^&]*' deploy/Dockerfile | sed 's/build --release/check/')
  [ -n "$line" ] || fail "the Dockerfile builds nothing"
  mkdir "$work/context"
  sed -n 's/^!//p' .dockerignore | xargs -I{} cp -r {} "$work/context/"
  # shellcheck disable=SC2086
  (export CARGO_TARGET_DIR=$PWD/target && cd "$work/context" && quietly $line)
}

# The unit is sound, and as closed as systemd can tell.
unit() {
  sed "s|^ExecStart=/usr/local/bin/steadfast|ExecStart=$binary|" deploy/steadfast.service >"$work/steadfast.service"
  systemd-analyze verify "$work/steadfast.service" >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "the unit is not sound"; }
  ! grep -q "steadfast.service" "$work/said" || { cat "$work/said" >&2; fail "systemd has something to say of the unit"; }
  quietly systemd-analyze security --offline=yes --threshold=15 "$work/steadfast.service"
}

# Every secret that compose mounts is made, or asked for.
secrets() {
  quietly deploy/secrets.sh "$work/secrets"
  local name first
  # shellcheck disable=SC2013
  for name in $(sed -n 's|.*file: \./secrets/\([a-z_.]*\) .*|\1|p' deploy/compose.yaml); do
    case $name in
    bot_token | tls.crt | tls.key) ;;
    *) [ -s "$work/secrets/$name" ] || fail "deploy/secrets.sh does not make $name" ;;
    esac
  done
  for name in bot_token tls.crt tls.key; do
    grep -q "^Missing: $work/secrets/$name," "$work/said" || fail "deploy/secrets.sh does not ask for $name"
    (umask 077 && echo made-up >"$work/secrets/$name")
  done
  first=$(cat "$work/secrets/ops_token")
  quietly deploy/secrets.sh "$work/secrets"
  [ ! -s "$work/said" ] || fail "deploy/secrets.sh asks for what is there"
  [ "$(stat -c %a "$work/secrets")" = 700 ] || fail "others may look into the directory of the secrets"
  [ "$(stat -c %a "$work"/secrets/* | sort -u)" = 644 ] || fail "a secret is not readable in the containers"
  [ "$first" = "$(cat "$work/secrets/ops_token")" ] || fail "deploy/secrets.sh does not keep what is there"
}

for check in ${1:-rules scrape files image unit secrets}; do
  echo "$check"
  "$check"
done
