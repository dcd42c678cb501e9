#!/bin/sh
# Starts the hook for a host that takes a denial by exit code 2 with the reason on stderr.
#
#   exit-code.sh before|after [--seconds SECONDS] PROGRAM ARGUMENT...
#
# `before`: the event comes before a call. `after`: any other. PROGRAM is the hook; it gets this script's stdin, and
# `--exit-code` behind its own arguments. Then it prints a first line `deny` or `pass`, a second one for stdout (it may be
# empty), the reason, and a last line `end`. Nothing of that is interpreted: it is passed on as it is.
#
# Exits with 2 for a denial, else with 0. Where the hook crashes, hangs or says something else, a call that has not run is
# refused, and one that ran is left alone.
set -uf

# Functions that the environment exports must not stand in for programs.
unset -f cat kill mktemp printf read rm sleep trap true wait wc 2>/dev/null
# What would load foreign code into the hook, or into the shell and the tools below.
unset NODE_OPTIONS NODE_PATH NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_REPL_EXTERNAL_MODULE
unset LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH DYLD_FRAMEWORK_PATH
unset OPENSSL_CONF OPENSSL_MODULES BASH_ENV ENV
umask 077
IFS=' 
	'
newline='
'
# What the shell itself tells of processes that end is no reason for the model.
exec 4>&2 2>/dev/null
# The system's own tools first; the hook gets the path as it was.
given_path=${PATH-}
system_path=/usr/bin:/bin:/usr/sbin:/sbin${given_path:+:$given_path}
PATH=$system_path

# The hook's own deadline is 5 s, and hosts are told to wait for 10.
seconds=7
# Bytes of an answer: what is larger is none of ours.
most_answer=65536

moment=before
tmp=
child=
watch=

clean_up() {
  [ -z "$watch" ] || kill "$watch"
  [ -z "$child" ] || kill -KILL "$child"
  [ -z "$tmp" ] || rm -rf "$tmp"
  watch='' child='' tmp=''
}

# No answer: WHY as one clause.
no_answer() {
  trap '' HUP INT TERM
  clean_up
  [ "$moment" = before ] || exit 0
  printf 'Sallyport refused this call: %s\n' "$1" >&4
  exit 2
}

case ${1-} in
  before) ;;
  after) moment=after ;;
  *) no_answer 'exit-code.sh was registered without before or after as its first word' ;;
esac
shift
if [ "${1-}" = --seconds ]; then
  case ${2-} in
    '' | *[!0-9]* | 0* | ????*) no_answer 'exit-code.sh was registered with --seconds and no whole number behind it' ;;
  esac
  seconds=$2
  shift 2
fi
[ -n "${1-}" ] || no_answer 'exit-code.sh was registered without the hook that it is to start'

case ${TMPDIR:-/tmp} in
  /*) tmp=$(mktemp -d "${TMPDIR:-/tmp}/sallyport-hook.XXXXXX") || tmp= ;;
esac
[ -n "$tmp" ] || no_answer 'no temporary directory could be made (TMPDIR)'

# A shell that cannot copy what is closed ends at once, some of them with a code that lets the call run.
true 3<&0 || no_answer 'it was started without stdin'
exec 3<&0 </dev/null
PATH=$given_path
"$@" --exit-code <&3 3<&- 4>&- >"$tmp/out" 2>"$tmp/err" &
child=$!
PATH=$system_path
exec 3<&-
{
  nap=
  # shellcheck disable=SC2154 # set right below
  trap 'kill "$nap"; exit 0' TERM
  sleep "$seconds" &
  nap=$!
  wait "$nap"
  : >"$tmp/late"
  kill -KILL "$child"
} >/dev/null 4>&- &
watch=$!
# Only now: a shell that was just forked may still run the traps of this one, and must not answer in its place.
trap 'no_answer "the hook was stopped"' HUP INT TERM
wait "$child"
status=$?
child=
kill "$watch"
watch=

[ ! -e "$tmp/late" ] || no_answer "the hook did not answer in $seconds seconds"
[ "$status" -eq 0 ] || no_answer "the hook ended with $status"
[ "$(wc -c <"$tmp/out")" -le "$most_answer" ] || no_answer 'the hook gave no proper answer'
# Bytes, whatever the language: no pattern below may stumble over a character.
LC_ALL=C
export LC_ALL
said=$(cat "$tmp/out" && printf .)
word=${said%%"$newline"*}
said=${said#*"$newline"}
line=${said%%"$newline"*}
said=${said#*"$newline"}
case $word:$said in
  "deny:end$newline." | "deny:"*"${newline}end$newline." | "pass:end$newline.") ;;
  *) no_answer 'the hook gave no proper answer' ;;
esac
reason=${said%"end$newline."}
note=
if [ "$word" = pass ] && [ -s "$tmp/err" ]; then note=$(cat "$tmp/err"); fi

trap '' HUP INT TERM
clean_up
[ -z "$line" ] || printf '%s\n' "$line"
if [ "$word" = deny ] && [ "$moment" = before ]; then
  printf '%s' "${reason:-Refused by the guard$newline}" >&4
  exit 2
fi
[ -z "$note" ] || printf '%s\n' "$note" >&4
exit 0
