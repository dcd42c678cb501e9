#!/bin/sh
# Stands between the host and the guard: whatever happens to the guard, the host gets one answer in time.
#
#   hook-runner.sh [--timeout SECONDS] [--fallback ask|deny] SCRIPT [ARGUMENT...]
#
# One tool call comes as JSON on stdin. Prints one line with a deny or an ask, or nothing: the host's own rules go on.
# Always exits with 0, since the host runs the call when a hook fails. Where the guard gives no proper answer, the
# fail-safe at the end of this file decides from the call's text alone.
set -uf

# Functions that the environment exports must not stand in for programs.
unset -f awk cat cd command date exit kill ls mkdir mktemp printf pwd read readlink rm sed sleep sort tr wait wc 2>/dev/null
# What would load foreign code into the guard, or into the shell and the tools below.
unset NODE_OPTIONS NODE_PATH NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_REPL_EXTERNAL_MODULE
unset LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH DYLD_FRAMEWORK_PATH
unset OPENSSL_CONF OPENSSL_MODULES BASH_ENV ENV
umask 077
IFS=' 
	'
# The system's own tools first; the guard gets the path as it was.
given_path=${PATH-}
PATH=/usr/bin:/bin:/usr/sbin:/sbin${given_path:+:$given_path}

# The watchdog's seconds where none or no sensible number is given.
usual_timeout=9
# Seconds that the fail-safe may look at the disk: a dead mount must not hold the answer up.
look_seconds=1
# Bytes of a call, and of an answer: what is larger is none of ours.
most_payload=8388608
most_answer=65536

case ${HOME-} in /?*) home=${HOME%/} ;; *) home= ;; esac

log=/dev/null
if [ -n "$home" ]; then
  logs=$home/.gemini/antigravity-cli/plugin_data/antigravity-booster/logs
  [ -d "$logs" ] || mkdir -p "$logs" 2>/dev/null
  # A pipe in its place would hold every writer up.
  if [ -f "$logs/hooks.log" ] || [ ! -e "$logs/hooks.log" ]; then
    if (: >>"$logs/hooks.log") 2>/dev/null; then log=$logs/hooks.log; fi
  fi
fi

note() {
  printf '%s: [%s] %s\n' "$(date)" "$1" "$2" >>"$log"
}

if [ -n "${AGB_HOOK_DISABLE-}" ]; then
  notice='AGB_HOOK_DISABLE is active: the guard is off, no call is judged'
  note 'CRITICAL NOTICE' "$notice"
  printf '[CRITICAL NOTICE] %s\n' "$notice" >&2
  exit 0
fi
exec 2>>"$log"

timeout=$usual_timeout
fallback=ask
while [ $# -gt 0 ]; do
  case $1 in
    --timeout)
      timeout=${2-}
      ;;
    --fallback)
      case ${2-} in ask) fallback=ask ;; *) fallback=deny ;; esac
      ;;
    *) break ;;
  esac
  shift
  [ $# -eq 0 ] || shift
done
case $timeout in '' | *[!0-9]* | 0* | ????*) timeout=$usual_timeout ;; esac

headless=
[ -z "${AGB_WORKER_TICKET-}${AGB_WORKER_MODE-}" ] || headless=yes
[ "${SALLYPORT_UNATTENDED-}" != 1 ] || headless=yes

here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd -P)

tmp=
watchdog=
decided=
# Why the guard gave no answer, as one clause.
why='the guard did not answer'
# The launcher's exit code, or what stands for it.
status=1
# Set where the call cannot be trusted to be whole.
broken=

# recorded FILE: the process id in a file of ours; empty where there is none.
recorded() {
  id=
  if [ -f "$tmp/$1" ]; then read -r id <"$tmp/$1"; fi
  printf %s "$id"
}

# Ends what runs too long: politely, then for good, then the runner's waiting. Runs beside the runner.
watch() {
  nap=
  trap '[ -z "$nap" ] || kill "$nap"; exit 0' TERM
  sleep "$timeout" &
  nap=$!
  wait "$nap"
  : >"$tmp/late"
  reader=$(recorded stdin_pid)
  child=$(recorded pid)
  [ -z "$reader" ] || kill -TERM "$reader"
  [ -z "$child" ] || kill -TERM "$child"
  # Should they not mind, the time until their end is used to look at the call.
  look <"$tmp/in" >"$tmp/early" &
  sleep 1 &
  nap=$!
  wait "$nap"
  : >"$tmp/spent"
  # A process that has ended took its file with it: its number may be another's by now.
  [ -z "$reader" ] || [ "$(recorded stdin_pid)" != "$reader" ] || kill -KILL "$reader"
  [ -z "$child" ] || [ "$(recorded pid)" != "$child" ] || kill -KILL "$child"
  kill -TERM $$
  sleep 2 &
  nap=$!
  wait "$nap"
  rm -rf "$tmp"
}

stop_watchdog() {
  [ -z "$watchdog" ] || kill -TERM "$watchdog"
  watchdog=
}

clean_up() {
  stop_watchdog
  [ -n "$tmp" ] || return 0
  for file in stdin_pid pid look_pid; do
    left=$(recorded "$file")
    [ -z "$left" ] || kill -KILL "$left" 2>/dev/null
  done
  rm -rf "$tmp"
  tmp=
}

# finish [DECISION REASON]: the one answer. REASON must be fit for JSON as it is.
finish() {
  trap '' HUP INT TERM PIPE
  if [ -z "$decided" ]; then
    decided=yes
    [ $# -eq 0 ] || printf '{"decision":"%s","reason":"%s"}\n' "$1" "$2"
  fi
  clean_up
  trap - EXIT
  exit 0
}

# A shell that was just forked may still run the traps of this one: it must not answer in its place.
# shellcheck disable=SC2016,SC2317 # called by traps; the inner shell's parent is this one
is_runner() {
  [ "$(exec /bin/sh -c 'echo $PPID')" = $$ ]
}

# shellcheck disable=SC2317 # called by a trap
on_signal() {
  is_runner || exit 0
  if [ -e "$tmp/late" ]; then why='the guard did not answer in time'; else why='the guard was stopped'; fi
  fail_safe
}

# What the call says of itself, one fact a line: `tool NAME`, `place PATH`, `guarded`, `tickets`, `broken`; `end` last.
# A JSON reader with a grammar of its own: whatever it does not understand is `broken`. A quote ends a record, so that
# records are by turns what stands between two strings and what stands in one, and each is looked at once.
payload_facts() {
  { tr '\000' '\001'; printf '\n'; } | LC_ALL=C awk '
    BEGIN {
      RS = "\""
      MOST_BYTES = '"$most_payload"'
      # Between strings, blanks folded; nesting; paths to look at; bytes of a path or a key.
      MOST_STRUCTURE = 262144; MOST_DEPTH = 500; MOST_PLACES = 64; MOST_TEXT = 4096
      for (i = 0; i < 16; i++) hex[substr("0123456789abcdef", i + 1, 1)] = i
      for (i = 10; i < 16; i++) hex[substr("ABCDEF", i - 9, 1)] = i
      plain["n"] = "\n"; plain["t"] = "\t"; plain["r"] = "\r"; plain["b"] = "\b"; plain["f"] = "\f"
      plain["/"] = "/"
      bytes = length(sprintf("%c", 200)) == 1
      depth = 0; want = "value"; token = ""; string = 0; broken = 0
    }
    broken { next }
    {
      total += length($0) + 1
      if (total > MOST_BYTES + 2) { broken = 1; next }
      if (!string) { structure($0); string = 1; start_text(); next }
      if ($0 ~ /[\001-\037]/) { broken = 1; next }
      # An odd number of backslashes at the end: the quote behind them belongs to the text.
      match($0, /\\*$/)
      if (RLENGTH % 2) { decode(substr($0, 1, length($0) - 1)); add("\""); next }
      decode($0)
      look()
      string = 0
      text_value()
    }
    END {
      # The line end that was put behind the input is the last record: it lies between strings.
      if (!string || want != "end") broken = 1
      if (broken) print "broken"
      if (guarded) print "guarded"
      if (tickets) print "tickets"
      if (names == 1 && calls == 1 && tool ~ /^[a-z][a-z0-9_]*$/ && length(tool) <= 64) print "tool " tool
      if (!broken) for (i = 1; i <= places; i++) print "place " place[i]
      if (!broken && !located) print "broken"
      print "end"
    }

    function structure(s,   n, i, c) {
      gsub(/[ \t\r\n]+/, " ", s)
      n = length(s)
      spent += n
      if (spent > MOST_STRUCTURE) broken = 1
      for (i = 1; i <= n && !broken; i++) {
        c = substr(s, i, 1)
        if (c == " ") literal()
        else if (c == "{" || c == "[") { literal(); open(c) }
        else if (c == "}" || c == "]") { literal(); close_one(c) }
        else if (c == ",") {
          literal()
          if (want != "more") broken = 1
          want = kind[depth] == "{" ? "key" : "value"
        } else if (c == ":") {
          literal()
          if (want != "colon") broken = 1
          want = "value"
        } else if (c ~ /[-+.0-9A-Za-z]/) {
          if (token == "" && want != "value" && want != "first") broken = 1
          token = token c
        } else broken = 1
      }
      literal()
    }
    function literal(   at) {
      if (token == "") return
      if (token !~ /^(true|false|null|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?)$/) broken = 1
      at = where()
      # Without its list of workspaces, or with a call that is none, nothing can be told.
      if (at == SUBSEP "workspacePaths" || at == SUBSEP "toolCall") broken = 1
      token = ""
      done()
    }
    function open(c,   at) {
      if (want != "value" && want != "first") broken = 1
      at = where()
      if (depth == 0 && c != "{") broken = 1
      if (at == SUBSEP "workspacePaths" && c != "[") broken = 1
      if ((at == SUBSEP "toolCall" || at == SUBSEP "toolCall" SUBSEP "args") && c != "{") broken = 1
      if (++depth > MOST_DEPTH) { broken = 1; return }
      kind[depth] = c
      within[depth] = at
      want = c == "{" ? "first key" : "first"
    }
    function close_one(c) {
      if (depth == 0 || (want != "more" && want != "first" && want != "first key")) { broken = 1; return }
      if ((c == "}") != (kind[depth] == "{")) broken = 1
      depth--
      done()
    }
    function done() { want = depth == 0 ? "end" : "more" }
    function where() {
      if (depth == 0) return ""
      return within[depth] SUBSEP (kind[depth] == "{" ? key[depth] : "[]")
    }

    function text_value(   at) {
      if (want == "first key" || want == "key") {
        if (cut || text ~ /[\001-\037]/) { broken = 1; return }
        key[depth] = text
        count(tolower(text))
        want = "colon"
        return
      }
      if (want != "value" && want != "first") { broken = 1; return }
      if (depth == 0) { broken = 1; return }
      at = where()
      if (at == SUBSEP "toolCall" SUBSEP "name") { if (cut) broken = 1; tool = text }
      else if (at == SUBSEP "workspacePaths" SUBSEP "[]") context()
      else if (at == SUBSEP "workspacePaths" || at == SUBSEP "toolCall") broken = 1
      # Arguments as a text of their own hide what they name.
      else if (at == SUBSEP "toolCall" SUBSEP "args") broken = 1
      else if (kind[depth] == "{" && tolower(key[depth]) == "cwd") context()
      else if (index(at, SUBSEP "toolCall" SUBSEP "args" SUBSEP) == 1) target()
      done()
    }
    # A key that steers us may stand in a call once: a second one comes from the model.
    function count(name) {
      if (name == "toolcall") calls++
      else if (name == "name") names++
      else if (name == "cwd") { if (++cwds > 1) broken = 1 }
      else if (name == "workspacepaths") {
        if (++lists > 1 || depth != 1 || text != "workspacePaths") broken = 1
      }
    }
    function context() {
      if (cut) broken = 1
      if (substr(text, 1, 1) != "/") return
      located = 1
      add_place(text)
    }
    # What a call is aimed at counts as well as where it works.
    function target() {
      if (text ~ /^[Ff][Ii][Ll][Ee]:/) {
        if (text ~ /[%?#]/) tickets = 1
        sub(/^[^:]*:/, "", text)
        sub(/^\/\/[^\/]*/, "", text)
      }
      if (substr(text, 1, 1) == "/" && !cut && text !~ /[\001-\037]/) add_place(text)
    }
    function add_place(path) {
      if (path ~ /[\001-\037]/ || places >= MOST_PLACES) { broken = 1; return }
      place[++places] = path
    }

    function start_text() { text = ""; cut = 0; pending = "" }
    function add(s) {
      if (!cut) {
        if (length(text) + length(s) > MOST_TEXT) cut = 1
        else text = text s
      }
      pending = pending s
      if (length(pending) > 8192) { look(); pending = substr(pending, length(pending) - 511) }
    }
    function decode(s,   n, i, part, c, code, low) {
      n = split(s, part, /\\/)
      if (n > 0) add(part[1])
      for (i = 2; i <= n; i++) {
        if (part[i] == "") {
          add("\\")
          if (++i <= n) add(part[i])
          continue
        }
        c = substr(part[i], 1, 1)
        if (c in plain) add(plain[c] substr(part[i], 2))
        else if (c == "u") {
          code = unit(part[i])
          if (code >= 55296 && code < 56320 && length(part[i]) == 5 && i < n && substr(part[i + 1], 1, 1) == "u") {
            low = unit(part[++i])
            if (low < 56320 || low > 57343) { broken = 1; return }
            code = 65536 + (code - 55296) * 1024 + low - 56320
          } else if (code < 0 || (code >= 55296 && code < 57344)) { broken = 1; return }
          add(utf8(code) substr(part[i], 6))
        } else { broken = 1; return }
      }
    }
    function unit(s,   i, c, value) {
      value = 0
      for (i = 2; i <= 5; i++) {
        c = substr(s, i, 1)
        if (c == "" || !(c in hex)) return -1
        value = value * 16 + hex[c]
      }
      return value
    }
    function utf8(code) {
      if (code == 0) return "\001"
      if (code < 128) return sprintf("%c", code)
      if (!bytes) broken = 1
      if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
      if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
      return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
    }
    # Names that matter wherever they stand in a text; a text may be encoded twice.
    function look(   s) {
      s = tolower(pending)
      gsub(/\\/, "", s)
      if (s ~ /\.migration\.lock/ || s ~ /(plugin_data|\.config)\/.*antigravity-booster/) guarded = 1
      if (s ~ /\.adlc\/(\.?\/)*tickets\//) tickets = 1
    }
  '
}

# in_adlc PATH: whether it lies in an ADLC repository. The home directory itself is none: a stray `~/.adlc` would make
# every project one.
in_adlc() {
  at=${1%/}
  while [ -n "$at" ]; do
    if [ "$at" != "$home" ] && [ "$at" != "$real_home" ]; then
      if [ -d "$at/.adlc" ] || [ -L "$at/.adlc" ]; then return 0; fi
      # Nobody can tell what lies there.
      if [ -d "$at" ] && [ ! -x "$at" ]; then return 0; fi
    fi
    at=${at%/*}
  done
  [ -d /.adlc ]
}

# Where links in a path lead: the same question for the real place of the part that exists.
in_adlc_really() {
  at=$1
  while [ -n "$at" ] && [ ! -d "$at" ]; do at=${at%/*}; done
  real=$(CDPATH='' cd -P -- "${at:-/}" 2>/dev/null && pwd -P) || return 0
  in_adlc "$real"
}

# The call on stdin → one line `adlc broken guarded tool`, each of the first three `yes` or `no`, the tool's name or `-`.
look() {
  payload_facts | {
    adlc=no broken_call=no guarded=no tool=- whole=no
    real_home=$home
    [ -z "$home" ] || real_home=$(CDPATH='' cd -P -- "$home" 2>/dev/null && pwd -P)
    while IFS= read -r fact; do
      case $fact in
        broken) broken_call=yes ;;
        guarded) guarded=yes ;;
        tickets) adlc=yes ;;
        'tool '*) tool=${fact#tool } ;;
        'place '*)
          if [ $adlc = no ]; then
            fact=${fact#place }
            if in_adlc "$fact" || in_adlc_really "$fact"; then adlc=yes; fi
          fi
          ;;
        end) whole=yes ;;
      esac
    done
    [ $whole = yes ] || broken_call=yes
    printf '%s %s %s %s\n' $adlc $broken_call $guarded "$tool"
  }
}

# Looks at the call within a time, on the side: nothing on the disk may hold the answer up. Sets `facts`.
look_in_time() {
  looked=
  trap 'looked=late' USR1
  look <"$tmp/in" >"$tmp/flat" 2>/dev/null &
  looker=$!
  echo "$looker" >"$tmp/look_pid"
  {
    sleep "$look_seconds"
    [ ! -f "$tmp/look_pid" ] || kill -USR1 $$
  } </dev/null >/dev/null &
  # Another signal ends the waiting, not the looking.
  while [ -z "$looked" ] && kill -0 "$looker" 2>/dev/null; do wait "$looker"; done
  [ -n "$looked" ] || rm -f "$tmp/look_pid"
  facts=
  if [ -z "$looked" ] && [ -s "$tmp/flat" ]; then IFS= read -r facts <"$tmp/flat"; fi
}

# The same without a place for files: what has come by then is looked at.
look_without_files() {
  facts=$(
    exec 2>/dev/null
    {
      cat <&3 3<&- &
      reader=$!
      {
        sleep "$look_seconds"
        kill -TERM "$reader"
      } >/dev/null 3<&- &
      wait "$reader"
    } | look 3<&-
  )
}

is_reader() {
  case $1 in
    view_file | grep_search | code_search | list_directory | read_url_content | read_browser_page | search_web) ;;
    list_resources | read_resource | ask_question | view_file_outline | read_terminal | read_notebook) ;;
    command_status | list_dir | find_by_name) ;;
    *) return 1 ;;
  esac
}

way_out='reading tools still work; see hooks.log in the plugin data, and agb doctor'

# Decides without the guard, from the call's text alone, and ends.
fail_safe() {
  stop_watchdog
  trap : HUP INT TERM
  [ -z "$decided" ] || finish
  note warn "fail-safe: $why"
  if [ -n "$tmp" ] && [ -z "$broken" ] && [ ! -s "$tmp/in" ]; then
    facts='no no no -'
  elif [ -n "$tmp" ] && [ -e "$tmp/spent" ]; then
    # No time is left for another look.
    facts=
    if [ -s "$tmp/early" ]; then IFS= read -r facts <"$tmp/early"; fi
  elif [ -n "$tmp" ] && [ -z "$broken" ]; then
    look_in_time
  fi
  # What could not be told is taken for the worse.
  [ -n "${facts-}" ] || facts='yes yes no -'
  # shellcheck disable=SC2086 # four words without blanks or patterns, by the reader's own grammar
  set -- $facts
  adlc=$1 broken_call=$2 guarded=$3 tool=$4
  said="[fail-safe] This call was not judged: $why"
  [ "$broken_call" = no ] || finish deny "$said, and the call itself could not be read for sure; $way_out"
  if is_reader "$tool"; then
    [ "$guarded" = no ] || finish deny "$said, and it names data of the guard itself"
    if [ "$adlc" = yes ] || [ -z "$tmp" ]; then
      note warn "fail-safe: the read-only tool $tool went on without the guard"
      finish
    fi
  fi
  [ -n "$tmp" ] || finish deny "$said; $way_out"
  if [ "$adlc" = yes ]; then
    [ -z "$headless" ] || finish deny "$said, and nobody can be asked; $way_out"
    [ "$tool" != run_command ] || finish ask "$said; look at the command yourself"
    finish deny "$said; in an ADLC repository nothing is changed unjudged; $way_out"
  fi
  if [ "$status" -eq 86 ]; then
    note warn 'no Node of 22.19 or later: a call outside ADLC repositories went on without the guard'
    finish
  fi
  [ -z "$headless" ] || finish deny "$said, and nobody can be asked; $way_out"
  finish "$fallback" "$said; look at the call yourself"
}

trap 'if is_runner; then [ -n "$decided" ] || fail_safe; clean_up; fi' EXIT
trap on_signal HUP INT TERM

case ${TMPDIR:-/tmp} in
  /*) tmp=$(mktemp -d "${TMPDIR:-/tmp}/agb-hook.XXXXXX") || tmp= ;;
esac
if [ -z "$tmp" ]; then
  why='no temporary directory could be made (TMPDIR)'
  exec 3<&0 </dev/null
  look_without_files
  fail_safe
fi

# A signal that finds it before it has a trap of its own must end it.
trap - TERM
watch </dev/null >/dev/null 2>&1 &
watchdog=$!
trap on_signal TERM

# A host may keep the pipe open: reading goes on the side, so that the watchdog can end it.
exec 3<&0 </dev/null
cat <&3 >"$tmp/in" 3<&- &
reader=$!
echo "$reader" >"$tmp/stdin_pid"
exec 3<&-
wait "$reader"
got=$?
rm -f "$tmp/stdin_pid"
if [ -e "$tmp/late" ]; then
  why='the call did not end in time'
  fail_safe
fi
if [ "$got" -ne 0 ]; then
  why='the call could not be received'
  broken=yes
  fail_safe
fi

PATH=$given_path /bin/sh "$here/node-launcher.sh" "$@" <"$tmp/in" >"$tmp/out" 2>>"$log" &
child=$!
echo "$child" >"$tmp/pid"
wait "$child"
status=$?
rm -f "$tmp/pid"

if [ -e "$tmp/late" ]; then
  why='the guard did not answer in time'
  fail_safe
fi
if [ "$status" -ne 0 ]; then
  if [ "$status" -eq 86 ]; then why='no Node of 22.19 or later was found'; else why='the guard failed'; fi
  fail_safe
fi
size=$(wc -c <"$tmp/out")
[ "$size" -ne 0 ] || finish

# The answer's grammar, whole: one line, one object, a decision, at most a reason, nothing else.
said=
if [ "$size" -le "$most_answer" ]; then
  said=$(tr '\000' '\001' <"$tmp/out" | LC_ALL=C awk -v size="$size" '
    NR == 1 { line = $0 }
    END {
      if (NR != 1 || size - length(line) > 1) exit
      if (line ~ /^\{ *"decision" *: *"allow"/) { print "allow"; exit }
      if (line !~ /^\{[ \t]*"decision"[ \t]*:[ \t]*"(deny|ask)"[ \t]*(,[ \t]*"reason"[ \t]*:[ \t]*"([^"\\\001-\037]|\\["\\\/bfnrt]|\\u[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F])*"[ \t]*)?\}$/) exit
      print (line ~ /^\{[ \t]*"decision"[ \t]*:[ \t]*"deny"/) ? "deny" : "ask"
    }')
fi
case $said in
  deny) ;;
  ask)
    if [ -n "$headless" ]; then
      stop_watchdog
      decided=yes
      sed 's/"ask"/"deny"/' "$tmp/out"
      finish
    fi
    ;;
  allow)
    note warn 'the guard said allow, which it must not'
    why='the guard gave an answer that it must not give'
    fail_safe
    ;;
  *)
    why='the guard gave no proper answer'
    fail_safe
    ;;
esac
trap '' HUP INT TERM PIPE
decided=yes
cat "$tmp/out"
finish
