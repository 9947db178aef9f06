#!/usr/bin/env bash
# Makes up every secret of deploy/compose.yaml that can be made up, into a directory of its own. What is there is kept.
#
#   deploy/secrets.sh DIRECTORY
#
# Says which of the others are missing. Run it again when they are there, and whenever one is replaced: compose mounts files with
# the permissions they have here, and they are read by the users of several containers. It is the directory that keeps others out.
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

ask() { [ -s "$1" ] || echo "Missing: $dir/$1, $2. Put it there, then run this again." >&2; }
ask bot_token "the token that @BotFather gave you"
ask tls.crt "the certificate of the bot's address, with its chain"
ask tls.key "the key of that certificate"
