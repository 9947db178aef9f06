#!/usr/bin/env bash
# Runs every command of the README's `sh` blocks, in order, in a directory of its own, against the binary that was built for the
# tests. Fails at the first that fails.
set -euo pipefail
repo=$(cd "$(dirname "$0")/.." && pwd)
. "$repo/deploy/playground.sh"
binary=$repo/target/debug/steadfast
[ -x "$binary" ] || (cd "$repo" && cargo build --locked)
work=$(mktemp -d)
finish() {
  if [ -f "$work/pid" ]; then
    kill "$(cat "$work/pid")" && wait "$(cat "$work/pid")" || true
  fi
  rm -rf "$work"
}
trap finish EXIT
cp "$repo/.env.example" "$work/"
cp -r "$repo/nginx" "$repo/deploy" "$work/"
cd "$work"
export PATH=$PATH:/usr/sbin

export BOT_TOKEN=12345:for-the-readme-only WEBHOOK_SECRET=for-the-readme-only
export LISTEN_ADDR=127.0.0.1:0 OPS_ADDR=127.0.0.1:0 TELEGRAM_API_URL=http://127.0.0.1:9 DRAIN_DELAY=0s

steadfast() { "$binary" "$@"; }

# `cargo run` runs what was built: bare, a playground, which is looked at and ended.
cargo() {
  case $* in
  run) playground ;;
  *) serve ;;
  esac
}

playground() {
  "$binary" >line 2>&1 &
  local pid=$! address
  address=$(address_in line "$pid" 30) && curl -sf "$address/" >/dev/null && first_reply "$address" \
    || { cat line >&2; kill "$pid"; return 1; }
  kill "$pid"
  wait "$pid"
}

# `cargo run … -- serve`, in the background; the commands after it ask that server.
serve() {
  "$binary" serve >log 2>&1 &
  echo $! >pid
  for _ in $(seq 100); do
    OPS_ADDR=$(grep -o 'ops=[0-9.:]*' log | cut -d= -f2 | head -1)
    [ -n "$OPS_ADDR" ] && steadfast health >/dev/null 2>&1 && break
    sleep 0.1
  done
  steadfast health >/dev/null || { cat log >&2; return 1; }
  begin_a_dialogue
}

# Somebody has to be in a dialogue for the commands that look at one.
begin_a_dialogue() {
  local webhook
  webhook=$(grep -o 'webhook=[0-9.:]*' log | cut -d= -f2 | head -1)
  curl -sf "http://$webhook/webhook" -H 'Content-Type: application/json' \
    -H "X-Telegram-Bot-Api-Secret-Token: $WEBHOOK_SECRET" \
    -d '{"update_id":1,"message":{"message_id":1,"from":{"id":5001,"is_bot":false,"first_name":"Anna"},"chat":{"id":5001,"first_name":"Anna","type":"private"},"date":1760000000,"text":"/photo"}}'
}

count=0
while IFS= read -r line <&3; do
  command=${line%%  #*}
  case $command in
  # What deploy/check.sh is, or runs by itself.
  "" | "deploy/check.sh"* | "cargo test"*) continue ;;
  esac
  echo "\$ $command"
  eval "$command" >out 2>&1 || { echo "error: the README's command failed:" >&2; cat out >&2; exit 1; }
  count=$((count + 1))
done 3< <(awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$repo/README.md")
echo "$count commands of the README run"
[ "$count" -gt 0 ]
