/** Programs that run a command on another machine or in a container: its paths are not ours, but for what is mounted. */
import { ask } from '../../core/question.ts'
import { type Arg, exact, prefixOf, textOf } from '../../core/value.ts'
import type { Doing, Elsewhere, Invocation, Reader } from '../doing.ts'
import { type Parsed, parseArgs, type Specification, specify } from '../options.ts'
import { afterPrefix, atDashes, joined, last, shellFromStdin, shellText } from './reader.ts'

type Mount = NonNullable<Elsewhere['mounts']>[number]

const SSH = specify(
  '-4 -6 -A -a -B: -b: -C -c: -D: -E:append -e: -F:read -f -G -g -I: -i: -J: -K -k -L: -l: -M -m: -N -n -O: -o: -P: -p: -Q: -q -R: -S: -s -T -t -V -v -W: -w: -X -x -Y -y',
)

const LOCAL = /^(localhost|ip6-localhost|127(\.\d+){3}|\[?::1\]?|0\.0\.0\.0)$/

/** ssh and its kin: `ssh [options] host [words…]`; words are joined for the shell there. */
const ssh: Reader = function* (call) {
  const first = parseArgs(SSH, call.args, { stop: true })
  const host = first.operands[0]
  // ssh reads options behind the host, too.
  const second = parseArgs(SSH, first.operands.slice(1), { stop: true })
  const options = [...(first.values.get('-o') ?? []), ...(second.values.get('-o') ?? [])]
  const doings: Doing[] = options.flatMap((option): Doing[] => {
    const local = /^\s*(proxycommand|localcommand|knownhostscommand)\s*[= ]\s*/i.exec(prefixOf(option.value))
    return local && !/^none$/i.test(prefixOf(option.value).slice(local[0].length))
      ? [shellText(afterPrefix(option.value, local[0].length))]
      : []
  })
  const has = (flag: string) => first.flags.has(flag) || second.flags.has(flag)
  if (host === undefined || has('-V') || has('-Q') || has('-G') || has('-O')) return doings
  const where = yield* machine(call, textOf(host.value), textOf((last(second, '-l') ?? last(first, '-l'))?.value))
  const stdin = call.stdin
  const to = { is: 'exact', text: where.name } as const
  if (second.operands.length > 0) {
    if (stdin.none !== true && !has('-n')) doings.push({ do: 'send', to, files: [], content: stdin })
    // A shell of this machine starts at home.
    const cwd = where.is === 'host' && where.same ? { cwd: { value: exact(call.home), span: call.command.span } } : {}
    return [...doings, shellText(joined(second.operands), { where, ...cwd })]
  }
  if (has('-N') || has('-W') || stdin.none === true) return doings
  return [...doings, shellText(stdin.text, { taints: stdin.taints, where })]
}

function* machine(call: Invocation, host: string | undefined, login: string | undefined) {
  const match = /^(?:ssh:\/\/)?(?:([^@]+)@)?(.*?)(?::\d+)?\/?$/.exec(host ?? '?')
  const name = host !== undefined && LOCAL.test(host) ? host : (match?.[2] ?? '?')
  const user = login ?? match?.[1]
  if (!LOCAL.test(name)) return { is: 'host', name } satisfies Elsewhere
  const mine = yield* ask('env', { name: 'USER' })
  const self = typeof mine === 'object' ? mine.value : call.home.split(/[\\/]/).at(-1)
  const same = user === undefined || user === self || user === 'root'
  return same
    ? ({ is: 'host', name, same: true } satisfies Elsewhere)
    : ({ is: 'user', name: user, same: true } satisfies Elsewhere)
}

const DOCKER_RUN = specify(
  '-a|--attach: --add-host: --annotation: --blkio-weight: --blkio-weight-device: --cap-add: --cap-drop: --cgroup-parent: --cgroupns: --cidfile:write -c|--cpu-shares: --cpu-period: --cpu-quota: --cpus: --cpuset-cpus: --cpuset-mems: -d|--detach --detach-keys: --device: --device-cgroup-rule: --dns: --dns-option: --dns-search: --domainname: --entrypoint: -e|--env: --env-file:names --expose: --gpus: --group-add: --health-cmd: --health-interval: --health-retries: --health-timeout: -h|--hostname: --init -i|--interactive --ip: --ip6: --ipc: --isolation: -l|--label: --label-file: --link: --log-driver: --log-opt: --mac-address: -m|--memory: --memory-reservation: --memory-swap: --mount: --name: --network|--net: --network-alias: --no-healthcheck --oom-score-adj: --pid: --pids-limit: --platform: --privileged -p|--publish: -P|--publish-all --pull: -q|--quiet --read-only --restart: --rm --runtime: --security-opt: --shm-size: --sig-proxy --stop-signal: --stop-timeout: --storage-opt: --sysctl: --tmpfs: -t|--tty --ulimit: -u|--user: --userns: --uts: -v|--volume: --volume-driver: --volumes-from: -w|--workdir: --arch: --authfile: --systemd: --pod: --replace --secret: --tls-verify --umask: --use-api-socket',
)

/** One `-v HERE:THERE[:options]`. A name without a slash is a volume of the engine, not a path. */
function volume(arg: Arg): readonly Mount[] {
  const { value } = arg
  if (value.is === 'exact') {
    const match = /^((?:[A-Za-z]:)?[^:]*):([^:]+)(?::(.*))?$/.exec(value.text)
    if (!match || !/^[./~\\]|^[A-Za-z]:/.test(match[1]!)) return []
    const readonly = (match[3] ?? '').split(',').some((word) => word === 'ro' || word === 'readonly')
    return [{ here: { ...arg, value: exact(match[1]!) }, there: match[2]!, readonly }]
  }
  // `$X:/data` and `$(pwd)/a:/data`: what stands before the colon is not known, what is behind it is.
  if (value.is === 'partly' && !value.prefix.includes(':')) {
    const match = /^([^:]*):([^:]+)(?::(.*))?$/.exec(value.suffix)
    if (match) {
      const here: Arg = { ...arg, value: { ...value, suffix: match[1]! } }
      return [{ here, there: match[2]!, readonly: (match[3] ?? '').split(',').includes('ro') }]
    }
  }
  return [{ here: arg, there: '/', readonly: false }]
}

/** One `--mount type=bind,source=HERE,target=THERE`. */
function mount(arg: Arg): readonly Mount[] {
  const text = textOf(arg.value)
  if (text === undefined) return [{ here: arg, there: '/', readonly: false }]
  const fields = new Map(
    text.split(',').map((field) => {
      const i = field.indexOf('=')
      return i < 0 ? ([field, ''] as const) : ([field.slice(0, i), field.slice(i + 1)] as const)
    }),
  )
  const here = fields.get('source') ?? fields.get('src')
  const there = fields.get('target') ?? fields.get('destination') ?? fields.get('dst')
  if (fields.get('type') !== 'bind' || here === undefined || there === undefined) return []
  const flag = fields.get('readonly') ?? fields.get('ro')
  return [{ here: { ...arg, value: exact(here) }, there, readonly: flag !== undefined && flag !== 'false' }]
}

/** Where a named volume of the engine lies in the container (`-v data:/d`, `--mount source=data,target=/d`). */
function volumeOf(arg: Arg): readonly string[] {
  const text = textOf(arg.value)
  if (text === undefined) return ['/']
  const target = /(?:^|,)(?:target|destination|dst)=([^,]+)/.exec(text)?.[1]
  if (target !== undefined) return /(?:^|,)type=bind(?:,|$)/.test(text) ? [] : [target]
  const named = /^[\w][\w.-]*:(\/[^:]*)/.exec(text)?.[1]
  return named === undefined ? [] : [named]
}

const nameOf = (arg: Arg | undefined): string => textOf(arg?.value) ?? '?'

const container = (name: string, mounts: readonly Mount[] = []): Elsewhere => ({
  is: 'container',
  name,
  ...(mounts.length > 0 ? { mounts } : {}),
})

const paths = (spec: Specification, parsed: Parsed): Doing[] =>
  [...parsed.values].flatMap(([name, args]) => {
    const role = spec.byName.get(name)?.role
    return role === 'read' || role === 'write' ? args.map((at): Doing => ({ do: 'path', act: role, at })) : []
  })

/** What opens the machine around it to a container. */
function reachOf(parsed: Parsed): string | undefined {
  if (parsed.flags.has('--privileged')) return '--privileged'
  const host = ['--pid', '--ipc', '--userns', '--uts'].find((name) =>
    (parsed.values.get(name) ?? []).some((arg) => textOf(arg.value) === 'host'),
  )
  if (host !== undefined && host !== '--ipc') return `${host}=host`
  const volumes = [...(parsed.values.get('-v') ?? []), ...(parsed.values.get('--mount') ?? [])]
  if (volumes.some((arg) => /(?:^|[=:])\/(?:var\/)?run\/docker\.sock\b/.test(prefixOf(arg.value))))
    return 'the socket of docker'
  if (volumes.some((arg) => /^\/:|(?:^|,)(?:src|source)=\/(?:,|$)/.test(prefixOf(arg.value))))
    return 'the whole file system'
  return undefined
}

/** `docker|podman|nerdctl run|create [options] IMAGE [command…]`. `args` follow the verb. */
export function dockerRun(call: Invocation, args: readonly Arg[]): readonly Doing[] {
  const parsed = parseArgs(DOCKER_RUN, args, { stop: true })
  const [image, ...command] = parsed.operands
  const reach = reachOf(parsed)
  const mounts = [
    ...(parsed.values.get('-v') ?? []).flatMap(volume),
    ...(parsed.values.get('--mount') ?? []).flatMap(mount),
  ]
  const where: Elsewhere = {
    ...container(nameOf(image), mounts),
    ...(parsed.values.has('--volumes-from') ? {} : { fresh: true }),
    volumes: [
      ...[...(parsed.values.get('-v') ?? []), ...(parsed.values.get('--mount') ?? [])].flatMap(volumeOf),
      // What is mounted from a place that is not known is somebody's.
      ...mounts.filter(({ here }) => textOf(here.value) === undefined).map(({ there }) => there),
    ],
  }
  const entry = last(parsed, '--entrypoint')
  const cwd = last(parsed, '-w')
  const argv = entry && textOf(entry.value) !== '' ? [entry, ...command] : command
  const doings = paths(DOCKER_RUN, parsed)
  if (image === undefined || parsed.flags.has('--help')) return doings
  if (reach !== undefined)
    doings.push({ do: 'other', act: 'system', service: call.base, what: `a container with ${reach}`, note: 'reach' })
  if (argv.length > 0) return [...doings, { do: 'run', argv, where, ...(cwd ? { cwd } : {}) }]
  // The image's own command is not known; it can do what it likes to what is mounted writable.
  if (mounts.some(({ readonly }) => !readonly))
    doings.push({ do: 'opaque', what: `image ${nameOf(image)}`, note: 'mounts' })
  if (parsed.flags.has('-i') && call.stdin.none !== true) doings.push(shellFromStdin(call, [], { where }))
  return doings
}

const DOCKER_EXEC = specify(
  '-d|--detach --detach-keys: -e|--env: --env-file:names -i|--interactive --privileged -t|--tty -u|--user: -w|--workdir: --index: -T|--no-tty --cidfile: -l|--latest',
)

/** `docker|podman|nerdctl exec [options] CONTAINER command…`; also for `compose exec SERVICE`. */
export function dockerExec(_call: Invocation, args: readonly Arg[]): readonly Doing[] {
  const parsed = parseArgs(DOCKER_EXEC, args, { stop: true })
  const latest = parsed.flags.has('-l')
  const name = latest ? undefined : parsed.operands[0]
  const argv = parsed.operands.slice(latest ? 0 : 1)
  const cwd = last(parsed, '-w')
  const doings = paths(DOCKER_EXEC, parsed)
  if (argv.length === 0 || parsed.flags.has('--help')) return doings
  return [...doings, { do: 'run', argv, where: container(nameOf(name)), ...(cwd ? { cwd } : {}) }]
}

/** `docker compose run [options] SERVICE command…`: which mounts it has stands in a file that is not read here. */
export function composeRun(call: Invocation, args: readonly Arg[]): readonly Doing[] {
  return dockerRun(call, args).map((doing): Doing => {
    if (doing.do !== 'run' || doing.where === undefined) return doing
    const { fresh: _, ...where } = doing.where
    return { ...doing, where }
  })
}

const KUBECTL = specify(
  '-c|--container: -n|--namespace: -f|--filename: --context: --cluster: --kubeconfig: --pod-running-timeout: -i|--stdin -t|--tty -q|--quiet --user: -s|--server: --token: --as: --request-timeout: -v: -l|--selector:',
)

/** `kubectl|oc exec POD [-c NAME] -- command…`; without `--` the command follows the pod. `args` follow the verb. */
export function kubectlExec(_call: Invocation, args: readonly Arg[]): readonly Doing[] {
  const { own, command } = atDashes(args)
  const parsed = parseArgs(KUBECTL, own, command ? {} : { stop: true })
  const [pod, ...rest] = parsed.operands
  const argv = command ?? rest
  if (argv.length === 0) return []
  return [{ do: 'run', argv, where: container(`pod ${nameOf(pod)}`) }]
}

const CHROOT = specify('--userspec: --groups: --skip-chdir -u: -g: -G: -n')

const chroot: Reader = function* (call) {
  const parsed = parseArgs(CHROOT, call.args, { stop: true })
  const [root, ...argv] = parsed.operands
  if (root === undefined || parsed.flags.has('--help')) return []
  const where = container(`root ${nameOf(root)}`, [{ here: root, there: '/', readonly: false }])
  return [argv.length > 0 ? { do: 'run', argv, where } : shellFromStdin(call, [], { where })]
}

/** How many words each option of bwrap takes. */
const BWRAP: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    '--args --argv0 --level-prefix --userns --userns2 --pidns --uid --gid --hostname --chdir --unsetenv --lock-file --sync-fd --remount-ro --exec-label --file-label --proc --dev --tmpfs --mqueue --dir --seccomp --add-seccomp-fd --block-fd --userns-block-fd --info-fd --json-status-fd --cap-add --cap-drop --perms --size --overlay-src --tmp-overlay --ro-overlay'
      .split(' ')
      .map((name) => [name, 1]),
  ),
  ...Object.fromEntries(
    '--setenv --bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --bind-fd --ro-bind-fd --file --bind-data --ro-bind-data --symlink --chmod'
      .split(' ')
      .map((name) => [name, 2]),
  ),
  '--overlay': 3,
}

const bwrap: Reader = function* (call) {
  const mounts: Mount[] = []
  let cwd: Arg | undefined
  let i = 0
  for (; i < call.args.length; i++) {
    const word = textOf(call.args[i]!.value)
    if (word === undefined || !word.startsWith('--')) break
    if (word === '--') {
      i++
      break
    }
    const [here, there] = [call.args[i + 1], call.args[i + 2]]
    if (/^--(ro-|dev-)?bind(-try)?$/.test(word) && here && there)
      mounts.push({ here, there: textOf(there.value) ?? '/', readonly: word.startsWith('--ro') })
    if (word === '--chdir') cwd = here
    i += BWRAP[word] ?? 0
  }
  const argv = call.args.slice(i)
  if (argv.length === 0) return []
  return [{ do: 'run', argv, where: container('bwrap', mounts), ...(cwd ? { cwd } : {}) }]
}

/** `lxc exec NAME -- command`, `toolbox run`, `distrobox enter NAME -- command`: the last two share the home. */
const box: Reader = function* (call) {
  const verb = textOf(call.args[0]?.value)
  if (!['exec', 'run', 'enter', 'shell'].includes(verb ?? '')) return []
  const { own, command } = atDashes(call.args.slice(1))
  const parsed = parseArgs(specify('-c|--container: -n|--name: -r|--release: -u|--user: --cwd: --env: -e:'), own, {
    stop: true,
  })
  const shares = call.base === 'toolbox' || call.base === 'distrobox'
  const named = call.base === 'toolbox' || parsed.flags.has('-n')
  const argv = command ?? (named ? parsed.operands : parsed.operands.slice(1))
  const where: Elsewhere = { ...container(nameOf(parsed.operands[0])), ...(shares ? { same: true } : {}) }
  return argv.length === 0 ? [] : [{ do: 'run', argv, where }]
}

/** Programs that hand their words to a container or another machine. `wsl` sees our files below `/mnt`. */
const wsl: Reader = function* (call) {
  const spec = specify(
    '-d|--distribution: -u|--user: -e|--exec --cd: --shell-type: -l|--list --shutdown -t|--terminate: --unregister:',
  )
  const parsed = parseArgs(spec, call.args, { stop: true })
  const gone = last(parsed, '--unregister')
  if (gone) return [{ do: 'other', act: 'destroy', service: 'wsl', what: nameOf(gone), local: true }]
  const where: Elsewhere = { ...container('wsl'), same: true }
  const words = call.platform === 'win32' ? parsed.operands.map(ofWindows) : parsed.operands
  if (words.length === 0) return []
  return parsed.flags.has('-e') ? [{ do: 'run', argv: words, where }] : [shellText(joined(words), { where })]
}

/** `/mnt/c/x` is `C:/x` outside. */
function ofWindows(arg: Arg): Arg {
  const text = textOf(arg.value)
  if (text === undefined) return arg
  const path = text.replaceAll(/(?<![\w/])\/mnt\/([a-z])(?=\/|$)/g, (_all, disk: string) => `${disk.toUpperCase()}:`)
  return { ...arg, value: exact(path) }
}

export const ELSEWHERE: Readonly<Record<string, Reader>> = {
  'ssh autossh slogin plink': ssh,
  chroot,
  bwrap,
  'lxc incus toolbox distrobox': box,
  wsl,
}
