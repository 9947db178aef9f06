#!/usr/bin/env bash
# Installs what the checks and proofs need on a Debian machine with a Rust toolchain. Changes nothing if all of it is there.
set -euo pipefail

# Program → the Debian package that contains it. `cc` is the linker of Rust.
needed=(redis-server:redis-server redis-cli:redis-tools promtool:prometheus curl:curl openssl:openssl postgres:postgresql
  chromium:chromium chromedriver:chromium-driver node:nodejs npm:npm venv:python3-venv nginx:nginx prometheus:prometheus
  systemd-analyze:systemd git:git cc:build-essential)

# Debian keeps nginx and the server of PostgreSQL off the PATH, and Python's environments are a module.
has() {
  case $1 in
  venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
  *) PATH=$PATH:/usr/sbin command -v "$1" >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/$1" >/dev/null ;;
  esac
}

# Installs packages without starting their services, which would outlive the check: Debian runs this file before each start.
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

missing=()
for pair in "${needed[@]}"; do
  has "${pair%%:*}" || missing+=("${pair##*:}")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "Installing ${missing[*]}"
  install_packages "${missing[@]}"
fi
for pair in "${needed[@]}"; do
  has "${pair%%:*}" || { echo "error: failed to install ${pair%%:*}" >&2; exit 1; }
done
node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' \
  || { echo "error: node $(node --version) is too old; install version 18 or newer" >&2; exit 1; }
