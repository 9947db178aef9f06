# shellcheck shell=bash
# What scripts here do with a playground that they have started. To be sourced.

# Prints the address that a playground says in a file, once it does; fails when its process ends first, or after so many seconds.
address_in() {
  local file=$1 pid=$2 patience=$3
  for _ in $(seq $((patience * 10))); do
    grep -o -m1 'http://[0-9.:]*' "$file" && return 0
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  echo "error: no playground has said its address" >&2
  return 1
}

# The first of its people says /start at this address, and is answered.
first_reply() {
  local person
  person=$(curl -sf "$1/emulator/state" | grep -o '"people":\[{[^}]*}' | grep -o '"id":[0-9]*' | cut -d: -f2)
  curl -sf "$1/emulator/messages" -H 'Content-Type: application/json' -d "{\"from\":$person,\"text\":\"/start\"}" >/dev/null
  for _ in $(seq 300); do
    curl -sf "$1/emulator/chats/$person" | grep '"by":"bot"' >/dev/null && return 0
    sleep 0.1
  done
  echo "error: the playground's bot does not answer /start" >&2
  return 1
}
