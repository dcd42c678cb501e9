/** Clients of code hosts: `gh`, `glab`, `hub`. */
import type { OtherAct } from '../../core/effect.ts'
import type { Asking } from '../../core/question.ts'
import { type Arg, exact, showValue, textOf, textsOf, unknown } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { mutationsIn } from '../graphql.ts'
import { type Parsed, parseArgs, specify } from '../options.ts'
import { into, onPath } from '../row.ts'
import { readGit } from './main.ts'

interface Host {
  readonly service: string
  readonly call: Invocation
  /** As written, for people. */
  readonly group: string
  readonly verb: string
  readonly parsed: Parsed
}

type Doer = (host: Host) => readonly Doing[]

/** Options that most commands share, and those that name files. */
const OPTIONS = specify(
  '-R|--repo: -t|--title: -b|--body: -F|--body-file|--notes-file: -B|--base: -H|--head: -l|--label: -a|--assignee: -r|--reviewer: -m|--milestone:' +
    ' -p|--project: -T|--template: -L|--limit: -S|--search: -q|--jq: --json: -e|--env: -o|--org: -u|--user: -d|--delete-branch' +
    ' -s|--squash --admin --auto -y|--yes --force -n|--notes: --target: -D|--dir: -O|--output: -w|--workflow: -f|--raw-field:' +
    ' --comment: -c --reason: --description: --desc: -A|--author: --remote-name: --job: -j: --branch: --web --watch --log --log-failed --dry-run',
)

const name = (arg: Arg | undefined): string => (arg === undefined ? '' : showValue(arg.value))

/** What the call is about, for people: its operands, else the repository given, else the one here. */
const about = (host: Host): string =>
  [host.group, host.verb, host.parsed.operands.map(name).join(' ') || name(host.parsed.values.get('-R')?.at(-1))]
    .filter(Boolean)
    .join(' ')

const act =
  (what: OtherAct, note?: string): Doer =>
  (host) => [{ do: 'other', act: what, service: host.service, what: about(host), ...(note ? { note } : {}) }]

const nothing: Doer = () => []

/** Text that goes into an issue or a pull request: the files that it comes from are read. */
const text: Doer = (host) =>
  (host.parsed.values.get('-F') ?? [])
    .filter((arg) => textOf(arg.value) !== '-')
    .map((at) => ({ do: 'path', act: 'read', at }))

/** Files go up and can be seen by others. */
const upload =
  (from: number, note: string): Doer =>
  (host) => {
    const files = host.parsed.operands.slice(from)
    return [
      { do: 'other', act: 'publish', service: host.service, what: about(host), note },
      ...text(host),
      ...(files.length > 0 || host.call.stdin.none !== true
        ? [{ do: 'send' as const, to: exact(host.service), files, content: host.call.stdin }]
        : []),
    ]
  }

const both =
  (...doers: readonly Doer[]): Doer =>
  (host) =>
    doers.flatMap((doer) => doer(host))

const whenFlag =
  (flags: string, then: Doer, otherwise: Doer): Doer =>
  (host) =>
    flags.split(' ').some((flag) => host.parsed.flags.has(flag)) ? then(host) : otherwise(host)

/** Downloads into a directory, the working one where none is given. */
const download: Doer = (host) => {
  const file = host.parsed.values.get('-O')?.at(-1)
  if (file !== undefined) return textOf(file.value) === '-' ? [] : [onPath('write', file)]
  const dir = host.parsed.values.get('-D')?.at(-1)
  return [into(dir ?? { value: exact('.'), span: host.call.command.span })]
}

const checkoutPull: Doer = (host) => [
  { do: 'git', op: { is: 'other', verb: 'fetch' }, at: undefined },
  ...(host.parsed.flags.has('--force') || host.parsed.flags.has('-f')
    ? [
        {
          do: 'git' as const,
          op: { is: 'force-branch' as const, name: name(host.parsed.operands[0]), to: 'the pull request' },
          at: undefined,
        },
      ]
    : []),
]

const CHANGE = act('change')
const DESTROY = act('destroy')

/** `group verb` → what it does. A group's `*` is for verbs not named; verbs that only read are `nothing`. */
const GH: Readonly<Record<string, Readonly<Record<string, Doer>>>> = {
  pr: {
    ...all('list view status checks diff', nothing),
    ...all('create edit comment review ready reopen lock unlock update-branch', text),
    close: whenFlag('-d', DESTROY, text),
    checkout: checkoutPull,
    merge: whenFlag('--disable-auto', nothing, act('change', 'merge')),
    '*': text,
  },
  issue: {
    ...all('list view status', nothing),
    ...all('create edit comment close reopen lock unlock pin unpin develop', text),
    delete: DESTROY,
    transfer: CHANGE,
    '*': text,
  },
  repo: {
    ...all('view list license gitignore autolink read-dir read-file set-default', nothing),
    ...all('edit rename archive unarchive fork', CHANGE),
    create: act('publish', 'repository'),
    delete: DESTROY,
    'deploy-key': CHANGE,
    sync: whenFlag('--force', DESTROY, CHANGE),
    '*': CHANGE,
  },
  release: {
    ...all('list view verify verify-asset', nothing),
    create: upload(1, 'release'),
    upload: upload(1, 'release'),
    edit: both(text, CHANGE),
    ...all('delete delete-asset', DESTROY),
    download,
    '*': CHANGE,
  },
  gist: {
    ...all('list view', nothing),
    create: upload(0, 'gist'),
    edit: upload(1, 'gist'),
    delete: DESTROY,
    clone: CHANGE,
    rename: CHANGE,
    '*': CHANGE,
  },
  run: {
    ...all('list view watch status trace get lint', nothing),
    download,
    ...all('rerun cancel', CHANGE),
    delete: DESTROY,
    '*': CHANGE,
  },
  workflow: { ...all('list view', nothing), ...all('run enable disable', CHANGE), '*': CHANGE },
  secret: { list: nothing, set: CHANGE, delete: DESTROY, remove: DESTROY, '*': CHANGE },
  variable: { ...all('list get', nothing), set: CHANGE, delete: DESTROY, remove: DESTROY, '*': CHANGE },
  cache: { list: nothing, delete: CHANGE, '*': CHANGE },
  label: { list: nothing, ...all('create edit', text), ...all('delete clone', CHANGE), '*': CHANGE },
  project: {
    ...all('list view field-list item-list', nothing),
    ...all('delete field-delete item-delete', DESTROY),
    '*': CHANGE,
  },
  ruleset: { '*': nothing },
  org: { '*': nothing },
  search: { '*': nothing },
  attestation: { ...all('verify trusted-root', nothing), download, '*': nothing },
  auth: {
    status: whenFlag('--show-token', act('reveal'), nothing),
    token: act('reveal'),
    ...all('login logout refresh setup-git switch', act('change', 'login')),
    '*': nothing,
  },
  'ssh-key': { list: nothing, add: CHANGE, delete: DESTROY, '*': CHANGE },
  'gpg-key': { list: nothing, add: CHANGE, delete: DESTROY, '*': CHANGE },
  codespace: {
    ...all('list view logs ports', nothing),
    delete: DESTROY,
    ssh: both(CHANGE, () => [{ do: 'opaque', what: 'a command in a codespace', note: 'remote-shell' }]),
    '*': CHANGE,
  },
  extension: {
    ...all('list search browse', nothing),
    ...all('install upgrade exec', act('run-remote', 'package')),
    ...all('remove create', nothing),
    '*': act('run-remote', 'package'),
  },
  config: { ...all('get list clear-cache', nothing), '*': nothing },
  alias: { ...all('list delete import', nothing), '*': nothing },
  'agent-task': { ...all('list view', nothing), '*': CHANGE },
  ...Object.fromEntries(
    'status browse completion help version preview at skills licenses'
      .split(' ')
      .map((group) => [group, { '*': nothing }]),
  ),
}

/** Names that mean another group. */
const SAME: Readonly<Record<string, string>> = {
  cs: 'codespace',
  ext: 'extension',
  extensions: 'extension',
  at: 'attestation',
  rs: 'ruleset',
  mr: 'pr',
  ci: 'run',
  pipeline: 'run',
  snippet: 'gist',
  schedule: 'workflow',
  milestone: 'label',
  ls: 'list',
}

function all(names: string, doer: Doer): Record<string, Doer> {
  return Object.fromEntries(names.split(' ').map((verb) => [verb, doer]))
}

const METHODS = specify(
  '-X|--method: -f|--raw-field: -F|--field: -H|--header: --input: -q|--jq: -t|--template: --cache: --hostname: -p|--preview: --paginate --slurp --silent -i|--include --verbose --form:',
)

/** Words in a conversation, as `gh issue comment` and `gh pr review` write them. */
const TALK =
  /^\/?repos\/[^/]+\/[^/]+\/(?:issues|pulls)\/(?:comments\/)?\d+\/(?:comments|comments\/\d+\/replies|replies|reviews|reactions|labels)$/

/** `gh api`: the method, or POST as soon as there are fields; GraphQL changes only by a mutation. */
function api(service: string, args: readonly Arg[]): readonly Doing[] {
  const parsed = parseArgs(METHODS, args)
  const endpoint = parsed.operands[0]
  const fields = [...(parsed.values.get('-f') ?? []), ...(parsed.values.get('-F') ?? [])]
  const doings: Doing[] = []
  for (const arg of parsed.values.get('-F') ?? []) {
    const file = /^[^=]*=@(.+)$/s.exec(textOf(arg.value) ?? '')?.[1]
    if (file !== undefined && file !== '-') doings.push({ do: 'path', act: 'read', at: { ...arg, value: exact(file) } })
  }
  const input = parsed.values.get('--input')?.at(-1)
  if (input && textOf(input.value) !== '-') doings.push({ do: 'path', act: 'read', at: input })
  const given = parsed.values.get('-X')?.at(-1)
  const methods = given
    ? (textsOf(given.value) ?? ['?']).map((text) => text.toUpperCase())
    : [fields.length > 0 || input ? 'POST' : 'GET']
  const place = name(endpoint)
  if (/^\/?graphql$/.test(place)) {
    const queries = fields.map((arg) => textOf(arg.value))
    const known = queries.filter((text) => text?.startsWith('query='))
    const change = known.find((text) => /\bmutation\b/.test(text ?? ''))
    if (change !== undefined) {
      const lost = mutationsIn(exact(change.slice('query='.length))).ending.length > 0
      doings.push({ do: 'other', act: lost ? 'destroy' : 'change', service, what: 'api graphql mutation' })
    } else if (known.length === 0 || known.some((text) => text?.startsWith('query=@'))) {
      doings.push({ do: 'other', act: 'change', service, what: 'api graphql', note: 'unseen-query' })
    }
    return doings
  }
  for (const method of methods) {
    if (method === 'GET' || method === 'HEAD' || (method === 'POST' && TALK.test(place))) continue
    doings.push({
      do: 'other',
      act: method === 'DELETE' || method === '?' ? 'destroy' : 'change',
      service,
      what: `api ${method} ${place}`,
    })
  }
  return doings
}

/** The address that `owner/name` stands for; anything else is an address already. */
function address(arg: Arg, host: string): Arg {
  const text = textOf(arg.value)
  return text !== undefined && /^[\w.-]+\/[\w.-]+$/.test(text)
    ? { ...arg, value: exact(`https://${host}/${text}.git`) }
    : arg
}

function* cloneLike(call: Invocation, args: readonly Arg[], host: string): Asking<readonly Doing[]> {
  const parsed = parseArgs(specify('-u|--upstream-remote-name: --no-upstream -g|--group:'), args)
  const [url, ...rest] = parsed.operands
  if (url === undefined) return []
  const words = ['clone'].map((text): Arg => ({ value: exact(text), span: url.span }))
  return yield* readGit({
    ...call,
    args: [...words, ...rest.filter((_, i) => i > 0), address(url, host), ...rest.slice(0, 1)],
  })
}

/** A value that the client will run later: aliases of the shell kind, pagers, editors, browsers. */
function persisted(group: string, parsed: Parsed): readonly Doing[] {
  const [verb, key, value] = parsed.operands
  if (textOf(verb?.value) !== 'set' || value === undefined) return []
  if (group === 'config') {
    return /^(?:pager|editor|browser|glamour_style)$/.test(name(key))
      ? [{ do: 'code', language: 'sh', text: value.value, when: 'later', label: `config ${name(key)}` }]
      : []
  }
  const text = textOf(value.value)
  const shell = parsed.flags.has('--shell') || parsed.flags.has('-s')
  if (text === undefined)
    return [{ do: 'code', language: 'sh', text: unknown('variable'), when: 'later', label: `alias ${name(key)}` }]
  if (!shell && !text.startsWith('!')) return []
  return [
    { do: 'code', language: 'sh', text: exact(text.replace(/^!/, '')), when: 'later', label: `alias ${name(key)}` },
  ]
}

const reader = (service: string, host: string): Reader =>
  function* (call) {
    const top = parseArgs(specify('-R|--repo: --hostname: --help --version -h -v'), call.args, { stop: true })
    const [groupArg, ...rest] = top.operands
    if (groupArg === undefined || rest.some((arg) => /^(?:--help|-h)$/.test(textOf(arg.value) ?? ''))) return []
    const word = textOf(groupArg.value)
    if (word === undefined) return [{ do: 'opaque', what: `${call.base} ${name(groupArg)}`, note: 'verb' }]
    const group = SAME[word] ?? word
    if (group === 'api') return api(service, rest)
    if (
      (group === 'repo' && textOf(rest[0]?.value) === 'clone') ||
      (group === 'gist' && textOf(rest[0]?.value) === 'clone')
    )
      return yield* cloneLike(call, rest.slice(1), host)
    const parsed = parseArgs(OPTIONS, rest)
    if (group === 'alias' || group === 'config') return persisted(group, parsed)
    const known = Object.hasOwn(GH, group) ? GH[group]! : undefined
    if (known === undefined) return [{ do: 'opaque', what: `${call.base} ${word}`, note: 'extension' }]
    const [verbArg, ...operands] = parsed.operands
    const given = name(verbArg)
    const verb = given === 'ls' ? 'list' : given === 'new' ? 'create' : given
    const doer = Object.hasOwn(known, verb) ? known[verb] : verb === '' ? nothing : known['*']
    const repo = parsed.values.get('-R') ?? top.values.get('-R')
    const values = repo ? new Map([...parsed.values, ['-R', repo]]) : parsed.values
    return (doer ?? nothing)({ service, call, group: word, verb, parsed: { ...parsed, values, operands } })
  }

export const readGh: Reader = reader('github', 'github.com')
export const readGlab: Reader = reader('gitlab', 'gitlab.com')

/** `hub` is git with a few verbs more. */
export const readHub: Reader = function* (call) {
  const verb = textOf(call.args[0]?.value)
  switch (verb) {
    case 'api':
      return api('github', call.args.slice(1))
    case 'delete':
      return [{ do: 'other', act: 'destroy', service: 'github', what: `repo ${name(call.args.at(-1))}` }]
    case 'create':
      return [{ do: 'other', act: 'publish', service: 'github', what: 'repo create', note: 'repository' }]
    case 'fork':
    case 'release':
    case 'sync':
    case 'gist':
      return [{ do: 'other', act: 'change', service: 'github', what: `${verb} ${name(call.args[1])}`.trim() }]
    case 'pull-request':
    case 'issue':
    case 'pr':
    case 'browse':
    case 'ci-status':
    case 'compare':
      return []
    default:
      return yield* readGit({ ...call, command: { ...call.command, value: exact('git') } })
  }
}
