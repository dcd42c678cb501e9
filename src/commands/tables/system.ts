/** Devices, processes, services, accounts, schedules: the machine itself. */
import { type Arg, exact, showValue, textOf, unknown } from '../../core/value.ts'
import { date } from '../date.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { type Parsed, parseArgs, specify } from '../options.ts'
import { prefixReader } from '../prefixes/reader.ts'
import { OP_RUN } from '../prefixes/runners.ts'
import type { Group } from '../registry.ts'
import { applyVerbs, type VerbProgram, verbReader } from '../verbs.ts'

const machine = (call: Invocation, what: string, note: string): Doing => ({
  do: 'other',
  act: 'system',
  service: call.base,
  what,
  note,
})

const asks = (parsed: Parsed, ...more: readonly string[]): boolean =>
  ['--help', '--version', ...more].some((flag) => parsed.flags.has(flag))

/** A program that is one effect whatever its operands, unless it only tells something. */
interface Blunt {
  readonly names: string
  readonly note: string
  readonly options?: string
  /** Flags with which nothing is changed. */
  readonly tells?: string
  /** Verbs or flags that change something; with others it only tells. */
  readonly changes?: string
  /** Image files are made with it, too: what is no device is a file that is written. */
  readonly images?: true
  /** Nothing happens without an operand. */
  readonly needs?: true
  readonly why: string
}

const BLUNT: readonly Blunt[] = [
  {
    names: 'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mke2fs mkswap newfs',
    note: 'format',
    options: '-t|--type: -L: -b: -N: -n',
    tells: '-V -n',
    images: true,
    needs: true,
    why: 'makes an empty file system',
  },
  {
    names: 'wipefs',
    note: 'format',
    options: '-a|--all -o|--offset: -t: -n|--no-act -i -p -J',
    tells: '-n',
    changes: '-a -o',
    needs: true,
    why: 'removes signatures (-a) or one of them',
  },
  {
    names: 'zpool zfs',
    note: 'format',
    tells: '-n --dryrun',
    changes: 'destroy rollback labelclear create remove detach split offline receive recv',
    needs: true,
    why: 'pools and data sets',
  },
  {
    names: 'cryptsetup',
    note: 'format',
    changes:
      'luksFormat format erase luksErase luksKillSlot luksRemoveKey luksChangeKey reencrypt luksHeaderRestore convert',
    needs: true,
    why: 'a device, or the keys to it, is rewritten',
  },
  {
    names: 'blkdiscard badblocks hdparm nvme mdadm',
    note: 'format',
    tells: '-i -I -t -T --list --detail -D --examine -E list status get info id-ctrl id-ns smart-log error-log',
    needs: true,
    why: 'rewrites or discards devices',
  },
  {
    names: 'parted',
    note: 'format',
    options: '-l|--list -s|--script -m|--machine -f|--fix -a|--align:',
    tells: '-l',
    needs: true,
    why: 'rewrites partitions; -s only keeps it from asking',
  },
  {
    names: 'fdisk sfdisk cfdisk gdisk sgdisk partprobe',
    note: 'format',
    options: '-l|--list -s -p|--print',
    tells: '-l -p -s',
    needs: true,
    why: 'rewrites partitions',
  },
  { names: 'lvremove vgremove pvremove lvreduce', note: 'format', needs: true, why: 'removes volumes' },
  { names: 'diskutil', note: 'format', tells: 'list info', needs: true, why: 'erases and partitions disks on macOS' },
  {
    names: 'shutdown reboot poweroff halt',
    note: 'power',
    options: '-c -r -h -P -H -k',
    tells: '-c -k',
    why: 'stops the machine',
  },
  { names: 'init telinit', note: 'power', needs: true, why: 'changes the run level' },
  {
    names: 'useradd userdel usermod groupadd groupdel groupmod adduser deluser passwd chpasswd chage visudo vipw',
    note: 'account',
    options: '-S|--status',
    tells: '-S',
    why: 'changes accounts',
  },
  { names: 'insmod rmmod modprobe kexec', note: 'kernel', tells: '-n -l', needs: true, why: 'changes the kernel' },
  { names: 'swapoff', note: 'kernel', needs: true, why: 'takes memory away from running programs' },
  {
    names: 'iptables ip6tables nft ufw firewall-cmd pfctl',
    note: 'service',
    options: '-L -S -n -v --list-all --state',
    tells: '-L -S --list-all --state status list',
    needs: true,
    why: 'changes what the network lets through',
  },
]

const BTRFS: VerbProgram = {
  names: 'btrfs',
  options: '-c -C -i: -v -q',
  verbs: [{ words: 'su* de*', act: 'system', note: 'format', why: 'a subvolume goes with all that lies in it' }],
}

/** A name that is surely no device: git and the rules of loss know whether it holds something. */
const isImage = (arg: Arg): boolean => {
  const text = textOf(arg.value)
  return text !== undefined && !/(?:^|\/)dev\//.test(text) && /\.(?:img|raw|iso|bin|ext[234]|disk|fs)$/.test(text)
}

const bluntReader = (blunt: Blunt): Reader =>
  function* (call): ReturnType<Reader> {
    const parsed = parseArgs(specify(blunt.options ?? ''), call.args)
    const tells = (blunt.tells ?? '').split(' ')
    const first = textOf(parsed.operands[0]?.value)
    if (asks(parsed, '-V') || tells.some((flag) => parsed.flags.has(flag) || flag === first)) return []
    if (blunt.needs && call.args.length === 0) return []
    const changes = blunt.changes?.split(' ')
    if (changes?.every((word) => !parsed.flags.has(word) && word !== first) && first !== undefined) return []
    const image = blunt.images && parsed.operands.find((arg) => isImage(arg))
    if (image) return [{ do: 'path', act: 'write', at: image }]
    return [machine(call, parsed.operands.map((arg) => showValue(arg.value)).join(' ') || call.base, blunt.note)]
  }

/** Marks the output of `pgrep` and `pidof`, so that `kill $(pgrep x)` is known to end x. */
const PID_OF = 'pid-of:'

function* pgrep(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify(
      '-f|--full -x|--exact -l -a -n|--newest -o|--oldest -u|--euid: -U: -g: -G: -P|--parent: -s: -t: -d: -c -v -i -w -q -F:read',
    ),
    call.args,
  )
  const name = parsed.operands.map((arg) => textOf(arg.value)).join(' ')
  return [
    {
      do: 'out',
      content: {
        text: name === '' ? unknown('substitution') : exact(`${PID_OF}${name.replaceAll(/\s+/g, '_')}\n`),
        taints: [],
      },
    },
  ]
}

function* kill(call: Invocation): ReturnType<Reader> {
  const words = call.args.map((arg) => textOf(arg.value))
  if (
    words.some(
      (word) => word === '-l' || word === '-L' || word === '--list' || word === '--help' || word === '--version',
    )
  )
    return []
  let operands = call.args.slice()
  const option = words[0]
  if (option === '-s' || option === '-n' || option === '--signal') operands = operands.slice(2)
  else if (option !== undefined && /^-(?:\d+|[A-Z]+[0-9]*)$/.test(option)) operands = operands.slice(1)
  if (textOf(operands[0]?.value) === '--') operands = operands.slice(1)
  if (operands.some((arg) => /^-[01]$/.test(textOf(arg.value) ?? '')))
    return [machine(call, 'every process', 'all-processes')]
  return operands.map((arg) => ended(call, arg))
}

const ended = (call: Invocation, arg: Arg): Doing => ({
  do: 'other',
  act: 'kill',
  service: call.base,
  what: showValue(arg.value).replace(PID_OF, ''),
  ...(arg.value.is === 'unknown' ? { note: 'unknown' } : {}),
})

function* killByName(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify(
      '-f|--full -x|--exact -s|--signal: -u|--user|--euid: -U: -g: -P: -t: -n -o -e -I -i -q -r -v -w -y: --older-than: -HUP -KILL -TERM -INT -QUIT -USR1 -USR2 -9 -15 -1 -2 -3',
    ),
    call.args,
  )
  if (asks(parsed, '-l', '-V')) return []
  if (parsed.operands.length === 0)
    return parsed.values.has('-u')
      ? [machine(call, `every process of ${showValue(parsed.values.get('-u')![0]!.value)}`, 'all-processes')]
      : []
  return parsed.operands.map((arg) => ended(call, arg))
}

function* crontab(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(specify('-l -r -e -i -u: -s -T:'), call.args)
  if (parsed.flags.has('-l') || asks(parsed)) return []
  if (parsed.flags.has('-r')) return [machine(call, 'every job of the user', 'schedule-all')]
  return [machine(call, 'jobs of the user', 'schedule')]
}

const SERVICES: VerbProgram = {
  names: 'systemctl',
  service: 'systemd',
  options: '--user -t|--type: -p|--property: -H: -M: -n|--lines: -o|--output: --now --no-pager -q --root:',
  verbs: [
    {
      words: 'poweroff|reboot|halt|kexec|suspend|hibernate|emergency|rescue|isolate|switch-root|soft-reboot',
      act: 'system',
      note: 'power',
      why: 'stops the machine',
    },
    {
      words:
        'stop|disable|mask|kill|restart|try-restart|reload-or-restart|start|enable|unmask|edit|set-property|set-default|revert|reenable|link|daemon-reexec',
      act: 'system',
      note: 'service',
      why: 'services change',
    },
  ],
}

const LAUNCHD: VerbProgram = {
  names: 'launchctl',
  options: '-w -F -S: -D:',
  verbs: [
    { words: 'reboot', act: 'system', note: 'power', why: 'stops the machine' },
    { words: 'bootout|unload|remove|disable|kill|stop', act: 'system', note: 'service', why: 'services stop' },
    {
      words: 'load|bootstrap|submit|enable|start|kickstart',
      act: 'system',
      note: 'schedule',
      why: 'something runs by itself',
    },
  ],
}

const KEYCHAIN: VerbProgram = {
  names: 'security',
  options: '-s: -a: -l: -w -g -k: -p: -c: -t: -D: -r: -j:',
  verbs: [
    {
      words: 'find-generic-password|find-internet-password',
      act: 'reveal',
      flags: '-w -g',
      why: 'prints a secret of the key chain',
    },
    { words: 'dump-keychain|export', act: 'reveal', why: 'prints the key chain' },
    { words: 'delete-*', act: 'destroy', local: true, why: 'entries of the key chain go' },
  ],
}

/** Stores of secrets and the verb that prints them. */
const STORES: readonly VerbProgram[] = [
  {
    names: 'pass gopass',
    options: '-c|--clip -f -n',
    verbs: [
      { words: 'ls|list|find|search|git|init', act: 'none', why: 'names' },
      { words: 'rm', act: 'destroy', local: true, why: 'a secret goes' },
      { words: 'show|otp', act: 'reveal', unless: '-c', why: 'prints a secret' },
    ],
  },
  {
    names: 'secret-tool',
    options: '',
    verbs: [
      { words: 'lookup|search', act: 'reveal', why: 'prints a secret' },
      { words: 'clear', act: 'destroy', local: true, why: 'secrets go' },
    ],
  },
  {
    names: 'keyring',
    options: '-b:',
    verbs: [
      { words: 'get', act: 'reveal', why: 'prints a secret' },
      { words: 'del', act: 'destroy', local: true, why: 'a secret goes' },
    ],
  },
  {
    names: 'bw lpass',
    options: '--session: --password -p --notes',
    verbs: [
      { words: 'get password|item|totp|notes', act: 'reveal', why: 'prints a secret' },
      { words: 'export', act: 'reveal', why: 'prints the vault' },
      { words: 'show', act: 'reveal', why: 'prints a secret' },
    ],
  },
]

const OP: VerbProgram = {
  names: 'op',
  options: '--account: --vault: --format: --fields: -o: -n',
  verbs: [
    { words: 'read|item|document get', act: 'reveal', why: 'prints a secret' },
    { words: 'read', act: 'reveal', why: 'prints a secret' },
  ],
}

const opRun = prefixReader(OP_RUN)

function* op(call: Invocation): ReturnType<Reader> {
  return call.args.some((arg) => textOf(arg.value) === 'run') ? yield* opRun(call) : applyVerbs(OP, call)
}

/** `gpg -d` of a file is reading it; exporting secret keys reveals them. */
function* gpg(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify(
      '-o|--output:write -r|--recipient: -u|--local-user: -d|--decrypt -e|--encrypt -c|--symmetric -s|--sign -b --detach-sign --verify --batch --yes -a|--armor --import --export --export-secret-keys --export-secret-subkeys --delete-secret-keys --delete-keys --homedir: --passphrase: --keyserver: -k|--list-keys -K|--list-secret-keys',
    ),
    call.args,
  )
  if (parsed.flags.has('--export-secret-keys') || parsed.flags.has('--export-secret-subkeys'))
    return [{ do: 'other', act: 'reveal', service: 'gpg', what: 'secret keys' }]
  if (parsed.flags.has('--delete-secret-keys'))
    return [{ do: 'other', act: 'destroy', service: 'gpg', what: 'secret keys', local: true }]
  return [
    ...(parsed.values.get('-o') ?? []).map((at): Doing => ({ do: 'path', act: 'write', at })),
    ...(parsed.flags.has('-k') || parsed.flags.has('-K') || parsed.flags.has('--export')
      ? []
      : parsed.operands.map((at): Doing => ({ do: 'path', act: 'read', at }))),
  ]
}

function* sysctl(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(specify('-w|--write -p|--load:read -a -n -q -e -N -r:'), call.args)
  return parsed.flags.has('-w') ||
    parsed.flags.has('-p') ||
    parsed.operands.some((arg) => showValue(arg.value).includes('='))
    ? [machine(call, 'kernel settings', 'service')]
    : []
}

function* mount(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(specify('-t|--types: -o|--options: -a -r -w -l -f -n -v --bind --move -L: -U:'), call.args)
  return parsed.operands.length === 0 && !parsed.flags.has('-a')
    ? []
    : [machine(call, parsed.operands.map((arg) => showValue(arg.value)).join(' ') || 'all', 'service')]
}

export const system: Group = {
  id: 'system',
  rows: [
    {
      names:
        'ps top htop free uptime vmstat iostat lsof w who whoami id groups uname hostnamectl lsblk blkid findmnt lscpu lsmem lspci lsusb dmesg journalctl last getconf nproc timedatectl loginctl sw_vers system_profiler',
      why: 'tells of the machine',
    },
    {
      names: 'cal sleep usleep yes tty stty clear reset tput logger notify-send say beep wall write mesg',
      why: 'clock, terminal, messages',
    },
    { names: 'man info apropos whatis tldr', why: 'manual pages' },
    { names: 'sync fsync udevadm ldconfig', why: 'no content changes' },
    { names: 'open xdg-open start-stop-daemon pbcopy pbpaste xclip xsel wl-copy wl-paste', why: 'desktop' },
  ],
  readers: {
    ...Object.fromEntries(BLUNT.map((blunt) => [blunt.names, bluntReader(blunt)])),
    date,
    'pgrep pidof': pgrep,
    kill,
    'pkill killall skill': killByName,
    crontab,
    ...Object.fromEntries(
      [SERVICES, LAUNCHD, KEYCHAIN, BTRFS, ...STORES].map((program) => [program.names, verbReader(program)]),
    ),
    op,
    'gpg gpg2': gpg,
    sysctl,
    'mount umount': mount,
  },
}
