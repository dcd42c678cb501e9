#!/bin/sh
# Starts a script of this plugin with a Node that the machine's owner installed, never with one that a project brings.
#
#   node-launcher.sh SCRIPT [ARGUMENT...]
#
# SCRIPT is taken from the plugin's root and must lie inside it; the arguments go through byte for byte.
# Exit codes of its own: 1 no such script, 86 no Node of 22.19 or later; else the script's own.
set -u

# Functions that the environment exports must not stand in for programs.
unset -f awk cat cd command date exit kill ls mkdir mktemp printf pwd read readlink rm sed sleep sort tr wait wc 2>/dev/null
# What would load foreign code into Node, or into the shell and the tools below.
unset NODE_OPTIONS NODE_PATH NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_REPL_EXTERNAL_MODULE
unset LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH DYLD_FRAMEWORK_PATH
unset OPENSSL_CONF OPENSSL_MODULES BASH_ENV ENV

IFS=' 
	'
newline='
'
# The system's own tools first; Node gets the path back as it was.
given_path=${PATH-}
PATH=/usr/bin:/bin:/usr/sbin:/sbin${given_path:+:$given_path}

# More links than this in one path are a loop.
most_links=40

# resolve PATH: sets `real` to the physical path of an absolute path whose last part may be a link.
resolve() {
  real=$1
  links=0
  while :; do
    case $real in /*) ;; *) return 1 ;; esac
    base=${real##*/}
    case $base in '' | . | ..) return 1 ;; esac
    dir=${real%/*}
    # The dot keeps line ends that belong to the name.
    dir=$(CDPATH='' cd -P -- "${dir:-/}" 2>/dev/null && pwd -P && printf .) || return 1
    dir=${dir%"$newline".}
    dir=${dir%/}
    real=$dir/$base
    [ -L "$real" ] || return 0
    links=$((links + 1))
    [ "$links" -le "$most_links" ] || return 1
    target=$(readlink "$real" && printf .) || return 1
    target=${target%"$newline".}
    case $target in /*) real=$target ;; *) real=$dir/$target ;; esac
  done
}

# physical DIR: sets `real` to the physical path of a directory; the path as it is where there is none.
physical() {
  real=$(CDPATH='' cd -P -- "$1" 2>/dev/null && pwd -P && printf .) || { real=$1; return 0; }
  real=${real%"$newline".}
}

fail() {
  printf 'node-launcher: %s\n' "$1" >&2
  exit "$2"
}

resolve "$(CDPATH='' cd -P -- "$(dirname -- "$0")" 2>/dev/null && pwd -P)/${0##*/}" || fail 'its own place cannot be told' 1
root=${real%/*}
root=${root%/*}
[ -n "$root" ] || fail 'its own place cannot be told' 1

[ -n "${1-}" ] || fail 'a script is needed' 1
case $1 in /*) script=$1 ;; *) script=$root/$1 ;; esac
shift
resolve "$script" || fail 'the script cannot be found' 1
script=$real
case $script in "$root"/*) ;; *) fail 'the script lies outside the plugin' 1 ;; esac
[ -f "$script" ] || fail 'the script cannot be found' 1

home=
real_home=
case ${HOME-} in
  /?*)
    home=${HOME%/}
    physical "$home"
    real_home=$real
    ;;
esac

# Directories that a project may fill: nothing in them is a Node to trust.
physical .
here=$real
target_repo=
if [ -n "${AGB_TARGET_REPO-}" ]; then
  physical "$AGB_TARGET_REPO"
  target_repo=$real
fi

# inside PATH DIR: whether DIR is a project's directory that holds PATH. Places that hold everything are none.
inside() {
  case $2 in '' | / | /Users | /home | /tmp | /var | "$home" | "$real_home") return 1 ;; esac
  case $1 in "$2"/*) return 0 ;; esac
  return 1
}

trusted() {
  case $1 in
    */tmp/* | */tmp | */node_modules/* | */.git/*) return 1 ;;
    /opt/homebrew/* | /usr/* | /bin/* | /System/*) return 0 ;;
  esac
  for place in "$home" "$real_home"; do
    [ -n "$place" ] || continue
    case $1 in
      "$place"/.local/share/fnm/* | "$place"/.local/share/mise/* | "$place"/.nvm/* | "$place"/.asdf/*) return 0 ;;
      "$place"/.volta/* | "$place"/.nodenv/* | "$place"/n/*) return 0 ;;
    esac
  done
  return 1
}

# recent PROGRAM: whether it says that it is Node 22.19 or later.
recent() {
  version=$("$1" --version 2>/dev/null) || return 1
  case $version in v[0-9]*.[0-9]*) ;; *) return 1 ;; esac
  major=${version#v}
  minor=${major#*.}
  major=${major%%.*}
  minor=${minor%%.*}
  case $major$minor in *[!0-9]*) return 1 ;; esac
  case ${#major}${#minor} in [1-4][1-4]) ;; *) return 1 ;; esac
  [ "$major" -gt 22 ] || { [ "$major" -eq 22 ] && [ "$minor" -ge 19 ]; }
}

# start PROGRAM ARGUMENT...: becomes that Node where it may be used; returns where not.
start() {
  candidate=$1
  shift
  case $candidate in /*) ;; *) return 0 ;; esac
  [ -f "$candidate" ] && [ -x "$candidate" ] || return 0
  resolve "$candidate" || return 0
  trusted "$real" || return 0
  if inside "$real" "$here" || inside "$real" "$target_repo"; then return 0; fi
  recent "$real" || return 0
  PATH=$given_path
  exec "$real" "$script" "$@"
}

# start_newest DIR REST ARGUMENT...: the same for each DIR/*/REST, the highest version first.
start_newest() {
  family=$1
  rest=$2
  shift 2
  [ -d "$family" ] || return 0
  names=$(
    for entry in "$family"/*; do
      [ -x "$entry/$rest" ] && printf '%s\n' "${entry##*/}"
    done | sed 's/^v\{0,1\}\(.*\)$/\1 &/' | LC_ALL=C sort -t . -k 1,1nr -k 2,2nr -k 3,3nr | sed 's/^.* //'
  )
  while [ -n "$names" ]; do
    name=${names%%"$newline"*}
    case $names in *"$newline"*) names=${names#*"$newline"} ;; *) names= ;; esac
    start "$family/$name/$rest" "$@"
  done
}

for place in /opt/homebrew/bin /usr/local/bin /usr/bin /bin; do start "$place/node" "$@"; done
if [ -n "$home" ]; then
  fnm=$home/.local/share/fnm
  start "$fnm/aliases/default/bin/node" "$@"
  start "$fnm/current/bin/node" "$@"
  start_newest "$fnm/node-versions" installation/bin/node "$@"
  start_newest "$home/.local/share/mise/installs/node" bin/node "$@"
  start_newest "$home/.asdf/installs/nodejs" bin/node "$@"
  start_newest "$home/.nodenv/versions" bin/node "$@"
  start_newest "$home/.volta/tools/image/node" bin/node "$@"
  start "$home/.volta/bin/node" "$@"
  start_newest "$home/.nvm/versions/node" bin/node "$@"
fi
start /usr/local/n/versions/node/default/bin/node "$@"
[ -z "$home" ] || start "$home/n/bin/node" "$@"
PATH=$given_path
start "$(command -v node 2>/dev/null)" "$@"
PATH=/usr/bin:/bin:/usr/sbin:/sbin${given_path:+:$given_path}
fail 'no Node of 22.19 or later was found where one may be used' 86
