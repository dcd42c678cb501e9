/** Containers of this machine: they come and go, but volumes hold data that exists nowhere else. */
import { taintsOf, textOf, unknown } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { parseArgs, specify } from '../options.ts'
import { out } from '../parts.ts'
import { composeRun, dockerExec, dockerRun } from '../prefixes/elsewhere.ts'
import { byOptions } from '../row.ts'
import { applyVerbs, type VerbProgram, verbReader } from '../verbs.ts'

const COMPOSE: VerbProgram = {
  names: 'docker-compose',
  service: 'compose',
  options: '-f|--force -s|--stop -a|--all -q|--quiet -v|--volumes --rmi: -t|--timeout: -e: --scale: -u:',
  verbs: [
    {
      words: 'down',
      act: 'destroy',
      local: true,
      flags: '-v',
      safer: 'docker compose down, which keeps the volumes',
      why: 'volumes of development services go',
    },
    { words: 'rm', act: 'destroy', local: true, flags: '-v', why: 'volumes of development services go' },
    {
      words: 'config|convert',
      act: 'reveal',
      note: 'config',
      unless: '--services --volumes --images -q --quiet --no-interpolate',
      why: 'prints the settings with secrets filled in',
    },
    { words: 'push', act: 'publish', why: 'images become public' },
  ],
}

const DOCKER: VerbProgram = {
  names: 'docker podman nerdctl',
  options: '-H|--host: --context: -f|--force -l|--log-level: -c: --config: -a|--all --volumes --filter: -t:',
  verbs: [
    {
      words: 'volume rm|prune',
      act: 'destroy',
      local: true,
      safer: 'docker volume ls',
      why: 'volumes hold data that exists nowhere else',
    },
    {
      words: 'system prune',
      act: 'destroy',
      local: true,
      flags: '--volumes',
      safer: 'docker image prune and docker builder prune, which keep containers and volumes',
      why: 'volumes go',
    },
    {
      words: 'system|container prune',
      act: 'destroy',
      local: true,
      unless: '--filter',
      safer: 'docker image prune and docker builder prune, which keep containers, or docker rm of those that are yours',
      why: 'every stopped container goes, whoever made it, with what it wrote into itself',
    },
    { words: 'system reset', act: 'destroy', local: true, why: 'podman: containers, images and volumes go' },
    { words: 'push, image push', act: 'publish', why: 'an image becomes public' },
    { words: 'stack rm', act: 'destroy', why: 'services go' },
    { words: 'swarm leave, service|node|secret|config rm', act: 'destroy', why: 'services go' },
    { words: 'service update|create|scale', act: 'change', why: 'services change' },
    { words: 'stack deploy', act: 'change', why: 'services change' },
  ],
}

const composeReader: Reader = verbReader(COMPOSE)

/** `docker run`, `exec` and `cp` reach our files or run a command; the rest are verbs. */
export function* docker(call: Invocation): ReturnType<Reader> {
  const head = parseArgs(specify('-H|--host: --context: -l|--log-level: -c: --config: --url:'), call.args, {
    stop: true,
  })
  const words = textOf(head.operands[0]?.value) === 'container' ? head.operands.slice(1) : head.operands
  const verb = textOf(words[0]?.value)
  const rest = words.slice(1)
  if (verb === 'compose') return yield* compose({ ...call, args: rest })
  if (verb === 'run' || verb === 'create') return [...escapes(rest), ...dockerRun(call, rest)]
  if (verb === 'exec') return dockerExec(call, rest)
  if (verb === 'cp') return copyFrom(rest)
  if (verb === 'ps' || (words !== head.operands && (verb === 'ls' || verb === 'list'))) return listing(rest)
  if ((verb === 'rm' || verb === 'remove') && removesAll(call, rest)) return [EVERY_CONTAINER]
  const saves = verb === 'save' || verb === 'export' || (verb === 'image' && textOf(rest[0]?.value) === 'save')
  return [...applyVerbs(DOCKER, call), ...(saves ? byOptions(SAVE, parseArgs(SAVE, rest)) : [])]
}

const PS = specify('-a|--all --format: -f|--filter: -n|--last: --no-trunc -q|--quiet -s|--size -l|--latest --sort:')

/** `docker ps` names every container, or every one that runs, unless an option picks some. */
function listing(args: Invocation['args']): readonly Doing[] {
  const { flags } = parseArgs(PS, args)
  if (['-f', '-n', '-l'].some((flag) => flags.has(flag))) return []
  return [out({ text: unknown('substitution', ['containers']), taints: ['containers'] })]
}

const EVERY_CONTAINER: Doing = {
  do: 'other',
  act: 'destroy',
  service: 'docker',
  what: 'every container',
  local: true,
  safer: 'remove by name the containers that are yours, or those that docker ps --filter lists',
}

/** `docker rm $(docker ps -aq)`; `podman rm --all` by itself. */
function removesAll(call: Invocation, args: Invocation['args']): boolean {
  const { flags, operands } = parseArgs(RM, args)
  if (call.base === 'podman' && flags.has('-a') && !flags.has('--filter')) return true
  return operands.some((arg) => taintsOf(arg.value).includes('containers'))
}

/** `docker save`, `docker export`. */
const SAVE = specify('-o|--output:edit --format: --platform: -q|--quiet -m')

const RM = specify('-a|--all -f|--force -l|--link -v|--volumes -i|--ignore -t|--time: --cidfile: --depend --filter:')

/** A container that gets the whole disk, writable, is the machine itself. */
function escapes(args: Invocation['args']): readonly Doing[] {
  const root = args.some((arg) =>
    /^(?:-v=?|--volume=)?\/:[^:]+(?::(?!.*\bro\b).*)?$|(?:source|src)=\/,/.test(textOf(arg.value) ?? ''),
  )
  const strong = args.some((arg) =>
    /^--(?:privileged(?:=true)?|pid=host|cap-add=(?:ALL|SYS_ADMIN))$/.test(textOf(arg.value) ?? ''),
  )
  return root && strong
    ? [
        {
          do: 'other',
          act: 'system',
          service: 'docker',
          what: 'a privileged container with the whole disk',
          note: 'escape',
        },
      ]
    : []
}

/** `docker cp box:/x here`, `docker cp here box:/x`. */
function copyFrom(args: Invocation['args']): readonly Doing[] {
  const [from, to] = parseArgs(specify('-a -L -q'), args).operands
  if (!from || !to) return []
  const inside = (text: string | undefined) => text !== undefined && /^[\w.-]+:/.test(text)
  return [
    ...(inside(textOf(from.value)) ? [] : [{ do: 'path', act: 'read', at: from } as const]),
    ...(inside(textOf(to.value)) ? [] : [{ do: 'path', act: 'write', at: to } as const]),
  ]
}

/** `docker compose exec box cmd` runs in the container; the rest are verbs. */
export function* compose(call: Invocation): ReturnType<Reader> {
  const head = parseArgs(
    specify('-f|--file: -p|--project-name: --profile: --env-file: --project-directory: --ansi: --progress:'),
    call.args,
    { stop: true },
  )
  const verb = textOf(head.operands[0]?.value)
  if (verb === 'exec') return dockerExec(call, head.operands.slice(1))
  if (verb === 'run') return composeRun(call, head.operands.slice(1))
  // Behind the verb `-f` is no longer the file.
  return yield* composeReader({ ...call, args: head.operands })
}
