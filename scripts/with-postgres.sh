#!/usr/bin/env bash
# Runs a command with a throw-away PostgreSQL: with-postgres.sh COMMAND…; TERRANE_TEST_DATABASE_URL names it.
# An existing value of that variable is used as it is.
set -euo pipefail
if [ -n "${TERRANE_TEST_DATABASE_URL:-}" ]; then exec "$@"; fi
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
[ -n "$bin" ] || bin=$(dirname "$(command -v initdb || true)")
[ -x "$bin/initdb" ] || { echo "with-postgres: no PostgreSQL binaries found (Debian: apt-get install postgresql)" >&2; exit 3; }
dir=$(mktemp -d)
run() { "$@"; }
if [ "$(id -u)" = 0 ]; then
  # initdb refuses to run as root
  id postgres >/dev/null 2>&1 || { echo "with-postgres: running as root, and there is no user postgres" >&2; exit 3; }
  chown postgres "$dir"
  run() { setpriv --reuid postgres --regid "$(id -g postgres)" --clear-groups env HOME="$dir" "$@"; }
fi
port=$(node -e "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{console.log(s.address().port);s.close()})")
stop() { run "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$dir"; }
trap stop EXIT
(cd / && run "$bin/initdb" -D "$dir/data" -U terrane -A trust -E UTF8 --no-sync >/dev/null)
(cd / && run "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/log" -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$dir -c max_connections=200" start >/dev/null)
export TERRANE_TEST_DATABASE_URL="postgres://terrane@127.0.0.1:$port/postgres"
"$@"
