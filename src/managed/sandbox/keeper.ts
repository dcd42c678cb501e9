/**
 * The first process of an environment's outer namespace of processes. Everything that is started for the environment is started
 * in that namespace or in one below it, and the kernel ends all of these with their first process. That one lives as long as a
 * pipe which the runtime alone can write to: however and at whatever moment the runtime ends, nothing is left, and no process
 * has to see to it.
 */

/** Descriptors of the keeper: 3 is Node's channel, for the opener. */
export const KEEPER_FD = { tell: 4, life: 5 } as const

/**
 * Says its number as the host counts, waits until it is told that its users are mapped, gives the namespace its own `/proc`
 * (what is started later looks its own processes up there), runs the opener (`$1`: its script, then that one's words), says how
 * that ended, and kills what it is told to by number until the pipe ends.
 */
export const KEEPER = `
IFS=' ' read -r own rest < /proc/self/stat || exit 93
echo "host $own" >&${KEEPER_FD.tell}
IFS= read -r word <&${KEEPER_FD.life} && [[ $word == mapped ]] || exit 94
mount -t proc proc /proc || exit 95
( /bin/sh -c "$1" sh "\${@:2}" ${KEEPER_FD.tell}>&- ${KEEPER_FD.life}<&-; echo "opened $?" >&${KEEPER_FD.tell} ) &
exec 2>/dev/null 3>&- ${KEEPER_FD.tell}>&-
while IFS= read -r word <&${KEEPER_FD.life}; do [[ $word != +([0-9]) ]] || kill -KILL "$word"; done
`
