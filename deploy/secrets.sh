#!/usr/bin/env bash
# Makes up every secret of deploy/compose.yaml that can be made up, into a directory of its own. What is there is kept.
#
#   deploy/secrets.sh DIRECTORY
#
# Files that compose mounts are read by the users of several containers, so it is the directory that keeps others out.
set -euo pipefail
dir=${1:?"give the directory to write to, such as deploy/secrets"}
mkdir -p "$dir"
chmod 700 "$dir"
cd "$dir"

make() { [ -s "$1" ] || printf '%s' "$2" >"$1"; }
for name in webhook_secret ops_token redis_password postgres_password grafana_password; do
  make "$name" "$(openssl rand -hex 32)"
done
make database_url "postgres://bot:$(cat postgres_password)@postgres/bot"
chmod 644 ./*
[ -s bot_token ] || echo "Write the token that @BotFather gave you into $dir/bot_token."
