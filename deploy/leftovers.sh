# shellcheck shell=bash
# Finds processes that a check has started and not ended. To be sourced.

# Restarts the script as the process that adopts orphans (PR_SET_CHILD_SUBREAPER, which outlives exec). A process with another
# name, another session or a cleared environment is adopted too.
adopt_orphans() {
  [ "${ADOPTS:-}" != $$ ] || return 0
  ADOPTS=$$ exec python3 -c 'import ctypes, os, sys; ctypes.CDLL(None).prctl(36, 1) == 0 or sys.exit("error: no prctl"); os.execv(sys.argv[1], sys.argv[1:])' "$@"
}

# Prints the children of this shell. Every orphan is adopted by it, so its children are all there is.
left() {
  local stat words
  for stat in /proc/[0-9]*/stat; do
    # The name, in brackets, may hold anything. The state and the parent follow it.
    words=$(cat "$stat" 2>/dev/null) || continue
    read -r state parent _ <<<"${words##*) }"
    stat=${stat%/stat}
    if [ "$parent" = $$ ] && [ "$state" != Z ] && [ "${stat#/proc/}" != "$BASHPID" ]; then
      echo "${stat#/proc/} $(tr '\0' ' ' <"$stat/cmdline" 2>/dev/null)"
    fi
  done
}

# Fails if a process is left behind. A process that is about to end gets a moment.
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

# Fails unless a process that hides by a session, a name and an environment of its own is found.
finds_hidden() {
  local hidden
  hidden=$(mktemp)
  (setsid env -i bash -c 'echo $$; exec -a "redis-server 127.0.0.1:1" sleep 600' >"$hidden" 2>/dev/null </dev/null &)
  until [ -s "$hidden" ]; do sleep 0.1; done
  ! nothing_left 3 2>/dev/null || { echo "error: a process that is left behind is not found" >&2; exit 1; }
  kill "$(cat "$hidden")"
  rm -f "$hidden"
  nothing_left
}
