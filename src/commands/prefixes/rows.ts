/** Programs of the system that run their arguments. */
import type { Prefix } from './reader.ts'

export const SYSTEM: readonly Prefix[] = [
  {
    names: 'doas',
    options: '-C: -L -a: -n -s -u:',
    login: '-s',
    info: '-C -L',
    why: 'doas(1): -C only checks rules; -s starts a shell',
  },
  {
    names: 'pkexec',
    options: '--user: --disable-internal-agent --keep-cwd',
    bare: 'shell',
    why: 'pkexec(1): as another user of this machine',
  },
  { names: 'gosu su-exec', before: 'skip', why: 'drops privileges, then runs the rest' },
  {
    names: 'setpriv',
    options:
      '--reuid: --regid: --groups: --inh-caps: --ambient-caps: --bounding-set: --securebits: --pdeathsig: --selinux-label: --apparmor-profile: --rgid: --egid: --ruid: --euid: --clear-groups --init-groups --keep-groups --no-new-privs --nnp --reset-env -d|--dump --list-caps',
    info: '-d --list-caps',
    why: 'setpriv(1)',
  },
  {
    names: 'sg',
    before: 'skip',
    options: '-c:',
    shell: '-c',
    joins: true,
    bare: 'shell',
    why: 'sg(1): the rest is a shell text',
  },
  { names: 'newgrp', options: '-l', before: 'skip', bare: 'shell', why: 'newgrp(1): a shell that reads stdin' },
  { names: 'builtin', why: 'bash: the builtin of that name' },
  { names: 'exec', options: '-c -l -a:', why: 'bash: replaces the shell' },
  {
    names: 'command',
    options: '-p -v -V',
    info: '-v -V',
    why: 'POSIX: -v and -V only look a name up',
  },
  {
    names: 'time gtime',
    options: '-f|--format: -o|--output:write -a|--append -p|--portability -v|--verbose -q|--quiet',
    why: 'time(1)',
  },
  {
    names: 'timeout gtimeout',
    options: '-k|--kill-after: -s|--signal: -v|--verbose -f|--foreground -p|--preserve-status',
    before: 'skip',
    why: 'timeout(1): the first operand is the duration',
  },
  { names: 'nice gnice', options: '-n|--adjustment:', why: 'nice(1); `-5` is an old form of -n 5' },
  { names: 'nohup gnohup setsid', options: '-c|--ctty -f|--fork -w|--wait', why: 'nohup(1), setsid(1)' },
  { names: 'stdbuf gstdbuf', options: '-i|--input: -o|--output: -e|--error:', why: 'stdbuf(1)' },
  {
    names: 'ionice',
    options: '-c|--class: -n|--classdata: -p|--pid: -P|--pgid: -u|--uid: -t|--ignore',
    info: '-p -P -u',
    why: 'ionice(1): -p and its like change running processes',
  },
  {
    names: 'chrt',
    options:
      '-b|--batch -d|--deadline -e|--ext -f|--fifo -i|--idle -o|--other -r|--rr -R|--reset-on-fork -m|--max -v|--verbose -a|--all-tasks -T|--sched-runtime: -P|--sched-period: -D|--sched-deadline: -p|--pid',
    before: 'skip',
    info: '-p -m',
    why: 'chrt(1): the first operand is the priority',
  },
  {
    names: 'uclampset',
    options: '-m: -M: -a -p: -s -R -v',
    info: '-p -s',
    why: 'uclampset(1)',
  },
  {
    names: 'flock',
    options:
      '-s|--shared -x|-e|--exclusive -u|--unlock -n|--nb|--nonblock -w|--wait|--timeout: -E|--conflict-exit-code: -o|--close -F|--no-fork -c|--command: --fcntl --verbose',
    before: 'create',
    shell: '-c',
    why: 'flock(1): the first operand is the lock file; -c stands behind it',
  },
  {
    names: 'ltrace',
    options:
      '-o|--output:write -e: -p: -l|--library: -n|--indent: -s: -u: -x: -a|--align: -A: -D|--debug: -F|--config: -b -c -C -f -i -L -r -S -t -T',
    info: '-p',
    why: 'ltrace(1)',
  },
  {
    names: 'unshare',
    options:
      '-m? -u? -i? -n? -p? -U? -C? -T? -f|--fork -r|--map-root-user -c|--map-current-user -S|--setuid: -G|--setgid: -R|--root: -w|--wd: -l|--load-interp: --mount? --uts? --ipc? --net? --pid? --user? --cgroup? --time? --map-user: --map-group: --map-users: --map-groups: --map-auto --setgroups: --propagation: --mount-proc? --kill-child? --keep-caps --monotonic: --boottime:',
    dir: '-w',
    bare: 'shell',
    why: 'unshare(1): the same files, unless mounts follow',
  },
  {
    names: 'nsenter',
    options:
      '-t|--target: -m? -u? -i? -n? -p? -C? -U? -T? -r? -w? -W|--wdns: -S|--setuid: -G|--setgid: -a|--all -e|--env -F|--no-fork -Z|--follow-context -c|--join-cgroup --mount? --uts? --ipc? --net? --pid? --cgroup? --user? --time? --root? --wd? --preserve-credentials --keep-caps',
    bare: 'shell',
    why: 'nsenter(1): mostly the host itself from within a container',
  },
  {
    names: 'taskset',
    options: '-a|--all-tasks -c|--cpu-list -p|--pid',
    before: 'skip',
    info: '-p',
    why: 'taskset(1): the first operand is the mask or list',
  },
  {
    names: 'numactl',
    options:
      '-i|--interleave: -w|--weighted-interleave: -N|--cpunodebind: -m|--membind: -C|--physcpubind: -p|--preferred: -P|--preferred-many: -b|--balancing -l|--localalloc -a|--all -s|--show -H|--hardware',
    info: '-s -H',
    why: 'numactl(8)',
  },
  {
    names: 'prlimit',
    options: '-p|--pid: -o: --noheadings --raw --verbose',
    info: '-p',
    why: 'prlimit(1): limits are attached',
  },
  { names: 'choom', options: '-n|--adjust: -p|--pid:', info: '-p', why: 'choom(1)' },
  { names: 'chronic', options: '-v -e', why: 'moreutils: quiet unless it fails' },
  { names: 'unbuffer', options: '-p', why: 'expect: output through a terminal' },
  {
    names: 'softlimit chpst',
    options: '-u: -U: -b: -e: -/: -n: -l: -L: -m: -d: -o: -p: -f: -c: -t: -s: -a: -r: -v -P -0 -1 -2',
    why: 'daemontools, runit',
  },
  { names: 'envdir', before: 'names', why: 'daemontools: variables from a directory' },
  { names: 'with-contenv', why: 's6-overlay' },
  { names: 'tini', options: '-s -g -v -w -p: -e: -l', why: 'init of containers' },
  {
    names: 'dumb-init catatonit',
    options: '-c|--single-child -v|--verbose -r|--rewrite: -g -P',
    why: 'init of containers',
  },
  {
    names: 'watch',
    options:
      '-n|--interval: -d? --differences? -t|--no-title -b|--beep -e|--errexit -g|--chgexit -c|--color -C|--no-color -x|--exec -w|--no-wrap -p|--precise -q|--equexit: -r|--no-rerun -s|--shotsdir:write -f|--follow',
    joins: true,
    plain: '-x',
    why: 'watch(1): words are joined for `sh -c`, but with -x',
  },
  {
    names: 'xvfb-run',
    options:
      '-a|--auto-servernum -e|--error-file:write -f|--auth-file:write -l|--listen-tcp -n|--server-num: -p|--xauth-protocol: -s|--server-args: -w|--wait:',
    why: 'xvfb-run(1)',
  },
  {
    names: 'dbus-run-session dbus-launch',
    options: '--config-file: --dbus-daemon: --exit-with-session --sh-syntax',
    why: 'a session bus around a program',
  },
  {
    names: 'systemd-run',
    options:
      '-p|--property: -u|--unit: -E|--setenv: -M|--machine: -H|--host: -t|--pty -T|--pty-late -P|--pipe -q|--quiet -G|--collect -r|--remain-after-exit -d|--same-dir -S|--shell -v|--verbose --user --system --scope --wait --no-block --no-ask-password --slice-inherit --description: --slice: --uid: --gid: --nice: --working-directory: --root-directory: --service-type: --job-mode: --expand-environment: --on-active: --on-boot: --on-startup: --on-unit-active: --on-unit-inactive: --on-calendar: --on-clock-change --on-timezone-change --timer-property: --path-property: --socket-property: --background:',
    dir: '--working-directory',
    login: '-S',
    later:
      '--on-active --on-boot --on-startup --on-unit-active --on-unit-inactive --on-calendar --on-clock-change --on-timezone-change',
    why: 'systemd-run(1)',
  },
  {
    names: 'systemd-inhibit',
    options: '--what: --who: --why: --mode: --list --no-pager --no-legend --no-ask-password',
    info: '--list',
    why: 'systemd-inhibit(1)',
  },
  {
    names: 'systemd-cat',
    options: '-t|--identifier: -p|--priority: --stderr-priority: --level-prefix: --namespace:',
    why: 'systemd-cat(1): output to the journal',
  },
  { names: 'caffeinate', options: '-d -i -m -s -u -t: -w:', why: 'caffeinate(8) of macOS' },
  {
    names: 'arch',
    options: '-arch: -e: -d: -c -h -x86_64 -arm64 -arm64e -i386 -32 -64',
    single: true,
    why: 'arch(1) of macOS; elsewhere it only prints',
  },
  {
    names: 'setarch linux32 linux64 i386 i586 i686 x86_64 uname26',
    options:
      '-v|--verbose -R|--addr-no-randomize -F|--fdpic-funcptrs -Z|--mmap-page-zero -L|--addr-compat-layout -X|--read-implies-exec -B|--32bit -I|--short-inode -S|--whole-seconds -T|--sticky-timeouts -3|--3gb --4gb --uname-2.6 --list --show?',
    maybe:
      'linux32 linux64 i386 i486 i586 i686 athlon x86_64 amd64 aarch64 arm64 armv7l ppc ppc64 ppc64le s390 s390x mips mips64 riscv64',
    info: '--list --show',
    bare: 'shell',
    why: 'setarch(8)',
  },
  {
    names: 'proot',
    options:
      '-r|--rootfs: -b|--bind|-m|--mount: -q|--qemu: -w|--pwd|--cwd: -S: -R: -0|--root-id -i|--change-id: -k|--kernel-release: -v|--verbose: -p|--port: -n|--netcoop -l|--link2symlink --kill-on-exit -V',
    info: '-V',
    dir: '-w',
    bare: 'shell',
    why: 'proot(1): files of the host show through',
  },
  {
    names: 'fakeroot fakechroot',
    options:
      '-l|--lib: --faked: -s:write -i:read -u|--unknown-is-real -b|--fd-base: -d|--config-dir: -e|--environment: -c',
    bare: 'shell',
    why: 'fakeroot(1): the same files',
  },
  {
    names: 'faketime',
    options: '-f -m -p: --date-prog: --exclude-monotonic --disable-shm',
    before: 'skip',
    why: 'faketime(1): the first operand is the time',
  },
  { names: 'catchsegv ccache sccache distcc icecc buildcache', why: 'the compiler or program follows' },
  {
    names: 'valgrind heaptrack',
    options: '-q -v -d -o|--output:write -p|--pid: -r',
    info: '-p',
    why: 'values of long options are attached',
  },
  {
    names: 'perf',
    options:
      '-e: -o:write -p: -t: -C: -r: -a -g -F: -c: -x: -I: -D: -G: -i: -m: -j: -s -v -q -d -S -B -A --call-graph: --repeat: --event: --output:write --delay: --timeout:',
    verbs: 'stat record trace mem c2c kmem lock sched ftrace',
    maybe: 'record',
    why: 'perf(1): stat, record and trace run a command',
  },
  {
    names: 'rlwrap',
    options:
      '-a? -A? -b: -c -C: -D: -e: -E -f: -F? -g: -h -H:append -i -I -l:append -m? -M: -n -N -o -O: -p? -P: -q: -r -R -s: -S: -t: -T -U -v -w: -W? -X -z:',
    why: 'rlwrap(1)',
  },
  { names: 'proxychains proxychains4', options: '-q -f:read', why: 'network through a proxy' },
  {
    names: 'torsocks torify tsocks usewithtor',
    options: '-a|--address: -P|--port: -u|--user: -p|--pass: -i|--isolate -d|--debug -q|--quiet --shell',
    login: '--shell',
    why: 'network through Tor',
  },
  { names: 'firejail', options: '-c', why: 'firejail(1): values of options are attached; most of home shows through' },
  { names: 'sshpass', options: '-p: -f:read -d: -e -P: -v', why: 'sshpass(1): gives ssh its password' },
  {
    names: 'ssh-agent',
    options: '-a: -c -s -D -d -k -t: -E: -O: -P:',
    info: '-k',
    why: 'ssh-agent(1): a program below the agent',
  },
  {
    names: 'truss dtruss',
    options: '-o:write -p: -e: -a -c -d -D -e -f -H -s: -S -v: -t: -u: -x:',
    info: '-p',
    why: 'tracers of other systems',
  },
  {
    names: 'cpulimit',
    options: '-l|--limit: -p|--pid: -e|--exe: -P|--path: -z|--lazy -i|--include-children -v|--verbose -b -q -f',
    info: '-p -e -P',
    why: 'cpulimit(1)',
  },
  { names: 'trickle', options: '-d: -u: -w: -t: -l: -n: -s -v -q -V -L: -P: -N:', why: 'trickle(1)' },
  { names: 'eatmydata nocache', options: '-n:', why: 'file system hints' },
  {
    names: 'xterm urxvt alacritty kitty',
    options:
      '-e -T: -title: --title: -geometry: -fa: -fs: -fn: -bg: -fg: -hold --hold -o: --config-file: --working-directory: -d: --directory:',
    single: true,
    joins: true,
    why: 'terminals: the command follows -e, or the options',
  },
  {
    names: 'gnome-terminal konsole xfce4-terminal',
    options:
      '-e: --command: -x -t: --title: --tab --window --wait --working-directory: --workdir: --hold --noclose -p: --profile:',
    dashes: true,
    shell: '-e --command',
    dir: '--working-directory',
    why: 'terminals: the command follows --',
  },
  {
    names: 'tsp',
    options: '-n -f -m -d -D: -L: -N: -E -g -K -C -l -S: -t: -c: -p: -r: -w: -k: -u: -s: -i: -U: -o: -a',
    info: '-K -C -l -S -t -c -p -r -w -k -u -s -i -U',
    later: 'always',
    why: 'task spooler: queued',
  },
]
