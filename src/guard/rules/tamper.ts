/** The guard itself: switched off, ended, replaced, gone around. */
import type { Asking } from '../../core/question.ts'
import { type Arg, prefixOf, showValue, textOf, type Value } from '../../core/value.ts'
import type { Finding } from '../../core/verdict.ts'
import type { Zone } from '../../paths/zones.ts'
import { movesAgent } from '../agent-homes.ts'
import { CHANGES, finding, type Subject, type Tools } from '../subject.ts'

const SAFER = 'leave the guard alone; a person can change its policy in a terminal of their own'

/** Verbs of a guard that only tell something. Everything else of it is the person's. */
const TELLING: ReadonlySet<string> = new Set([
  'check',
  'explain',
  'test',
  'log',
  'status',
  'doctor',
  'help',
  'version',
  'policy',
  'why',
  'list',
  'run',
  'get',
  'gain',
  'digest',
  'search',
  'try',
])

/** What takes captures away, which are evidence, trusts a profile of the repository, or changes how agents are guarded. */
const CTX_OF_PERSON = /^(?:purge\b|gc\b.*--retention|profile\b.*--trust|setup\b|unwrap\b|wrap\b(?! detect\b))/

/** Options of agent programs that start them without their hooks, by program. */
const UNGUARDED: Readonly<Record<string, readonly string[]>> = {
  claude: ['--bare', '--safe-mode', '--dangerously-skip-permissions', '--settings', '--setting-sources'],
  codex: ['--dangerously-bypass-approvals-and-sandbox', '--yolo', '--dangerously-bypass-hook-trust'],
  gemini: ['--yolo', '-y', '--no-hooks'],
  opencode: ['--pure'],
  qwen: ['--yolo', '-y', '--bare', '--safe-mode'],
  copilot: ['--allow-all-tools', '--allow-all', '--yolo', '--config-dir'],
  agy: ['--dangerously-skip-permissions'],
  'cursor-agent': ['--force', '-f', '--yolo'],
  droid: ['--no-hooks', '--skip-permissions-unsafe'],
  amp: ['--dangerously-allow-all', '--settings-file'],
  // An extension of somebody's choice may change a call behind the guard.
  pi: ['--no-extensions', '-ne', '-e'],
  kimi: ['--yolo', '-y', '--yes', '--auto-approve', '--auto', '--config', '--config-file'],
  grok: ['--always-approve', '--yolo'],
  devin: ['--yolo'],
  'kiro-cli': ['--trust-all-tools'],
  cline: ['--yolo', '-y', '--hooks-dir', '--config'],
  goose: [],
}

/** Words with which agent programs loosen themselves or change their own settings. */
const LOOSE: Readonly<Record<string, RegExp>> = {
  claude:
    /--permission-mode[ =]bypassPermissions|^config (?:set|add|remove)\b|^mcp (?:add|add-json|remove|reset-project-choices)\b|^plugin (?:disable|uninstall|remove|install|enable|marketplace)\b/,
  codex:
    /--disable[ =]\S*hooks|(?:-c|--config)[ =]\S*(?:hooks|approval_policy|sandbox_mode)|(?:-s|--sandbox)[ =]danger-full-access|^mcp (?:add|remove)\b|^features disable\b/,
  gemini: /--approval-mode[ =]yolo|^(?:extensions|mcp|hooks) (?:install|add|remove|uninstall|disable|enable|link)\b/,
  qwen: /--approval-mode[ =]yolo|^(?:extensions|mcp|hooks) (?:install|add|remove|uninstall|disable|enable|link)\b/,
  opencode: /^(?:plugin|mcp) (?:add|remove)\b/,
  grok: /--permission-mode[ =]bypassPermissions/,
  devin: /--permission-mode[ =](?:bypass|dangerous)/,
}

/** Agent programs that take hooks of ours only with an option: the words that start an agent, and the option. */
const ONLY_WITH: Readonly<Record<string, { readonly starts: ReadonlySet<string>; readonly option: string }>> = {
  // Its first two engines know hooks inside an agent alone, and the agent that is built in has none.
  'kiro-cli': { starts: new Set(['chat', '--agent']), option: '--v3' },
}

/** Variables that make a program run code of somebody's choice first. */
const PRELOADS: ReadonlyMap<string, RegExp> = new Map([
  ['NODE_OPTIONS', /(?:--require|-r|--import|--loader|--experimental-loader)[ =]/],
  ['LD_PRELOAD', /./],
  ['LD_AUDIT', /./],
  ['DYLD_INSERT_LIBRARIES', /./],
  ['BASH_ENV', /./],
  ['ENV', /[/.]/],
  ['PYTHONSTARTUP', /./],
  ['PERL5OPT', /-[mMI]/],
  ['RUBYOPT', /-r/],
])

export function* tamper(subject: Subject, tools: Tools): Asking<readonly Finding[]> {
  const { effect } = subject
  if (effect.act === 'guard') return yield* guardEffect(subject, tools)
  if (effect.act === 'kill') {
    const name = nameOf(subject)
    const names = yield* tools.guardNames()
    if ([...names].some((guard) => mentions(name, guard)))
      return [
        finding(subject, 'tamper', 'kill', 'deny', `${effect.by} would end the guard (${name})`, { safer: SAFER }),
      ]
    return []
  }
  if (effect.act === 'run' && effect.note === 'unlisted') return yield* runsGuard(subject, tools)
  if (!CHANGES.has(effect.act)) return []
  for (const place of subject.places) {
    const path = place.end?.includes('/') ? place.end : place.path
    const base = path.slice(path.lastIndexOf('/') + 1)
    if (path === place.path && !place.zones.has('program') && !/\/bin\/[^/]+$/.test(place.path)) continue
    const names = yield* tools.guardNames()
    if (shadows(subject, place, base))
      return [
        finding(subject, 'trust-root', 'shadow', 'ask', `${tools.show(path)} would stand in for the program ${base}`, {
          safer: 'let the person install it',
        }),
      ]
    if (names.has(base))
      return [
        finding(subject, 'tamper', 'program', 'deny', `${tools.show(path)} is a program of the guard`, {
          safer: SAFER,
        }),
      ]
  }
  return []
}

/** Whether a program that everybody calls by name gets another one in its place. */
const shadows = ({ effect }: Subject, place: Subject['places'][number], base: string): boolean =>
  /^(?:write|create|append|edit)$/.test(effect.act) &&
  place.zones.has('program') &&
  !['project', 'temp', 'created'].some((zone) => place.zones.has(zone as Zone)) &&
  place.pattern === undefined &&
  EVERYBODYS.test(base)

const EVERYBODYS =
  /^(?:ls|cat|cp|mv|rm|ln|env|sh|bash|zsh|dash|fish|sudo|su|ssh|scp|git|gh|node|npm|npx|pnpm|yarn|python3?|pip3?|ruby|perl|make|gcc|cc|curl|wget|grep|sed|awk|find|xargs|tar|docker|kubectl|which|id|ps|kill|vim?|nano|less|man|systemctl|apt|brew|claude|codex|gemini)$/

const nameOf = (subject: Subject): string =>
  subject.effect.target.is === 'remote' || subject.effect.target.is === 'thing' ? subject.effect.target.name : ''

const mentions = (text: string, name: string): boolean => text.split(/[^A-Za-z0-9_-]+/).includes(name)

const upper = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')

function* guardEffect(subject: Subject, tools: Tools): Asking<readonly Finding[]> {
  const { effect } = subject
  const name = nameOf(subject)
  if (effect.note === 'hooks-bypass')
    return [
      finding(subject, 'hooks-bypass', 'git', 'ask', `${effect.by} skips the project's git hooks (${name})`, {
        safer: 'run it with the hooks, and mend what they find',
      }),
    ]
  if (effect.note === 'hooks-path')
    return [
      finding(subject, 'trust-root', 'hooks-path', 'deny', `${name} changes which git hooks run`, { safer: SAFER }),
    ]
  if (effect.note !== 'variable')
    return [
      finding(subject, 'tamper', effect.note ?? 'guard', 'deny', `${effect.by} goes around the guard (${name})`, {
        safer: SAFER,
      }),
    ]
  const value = effect.seen as Value
  if (name === 'HUSKY' && textOf(value) === '0')
    return [
      finding(subject, 'hooks-bypass', 'git', 'ask', "HUSKY=0 skips the project's git hooks", {
        safer: 'run it with the hooks',
      }),
    ]
  if (movesAgent(name) && Object.hasOwn(UNGUARDED, effect.by))
    return [
      finding(
        subject,
        'tamper',
        'agent',
        'deny',
        `${name} starts ${effect.by} with other settings, and no guard sees it`,
        {
          safer: 'start it with its usual settings',
        },
      ),
    ]
  const preload = PRELOADS.get(name)
  if (preload) {
    const text = textOf(value) ?? prefixOf(value)
    if (textOf(value) === undefined || preload.test(text))
      return [
        finding(subject, 'remote-code', 'preload', 'ask', `${name} makes other code run first (${showValue(value)})`, {
          safer: 'run it without the preload',
        }),
      ]
    return []
  }
  if (name.startsWith('BASH_FUNC_'))
    return [
      finding(subject, 'remote-code', 'preload', 'ask', `${name} puts a function in the place of a command`, {
        safer: 'define the function on the line',
      }),
    ]
  if (!/^[A-Z][A-Z0-9_]*$/.test(name)) return []
  if (name === 'AGB_HOOK_DISABLE' || name.startsWith('SALLYPORT_'))
    return [
      finding(subject, 'tamper', 'variable', 'deny', `${name} switches the guard off or changes how it judges`, {
        safer: SAFER,
      }),
    ]
  if (!name.includes('_')) return []
  const names = yield* tools.guardNames()
  for (const guard of names) {
    if (guard === 'ctx' || guard === 'agb') continue
    if (name === upper(guard) || name.startsWith(`${upper(guard)}_`))
      return [
        finding(subject, 'tamper', 'variable', 'deny', `${name} switches the guard off or changes how it judges`, {
          safer: SAFER,
        }),
      ]
  }
  return []
}

/** The option without which an agent program starts an agent that takes no hook of ours. */
function missingOption(program: string, words: readonly (string | undefined)[]): string | undefined {
  const only = ONLY_WITH[program]
  if (only === undefined || words.includes(only.option) || words.includes('--help')) return undefined
  return words.some((word) => only.starts.has(word?.replace(/=.*$/s, '') ?? '')) ? only.option : undefined
}

function* runsGuard(subject: Subject, tools: Tools): Asking<readonly Finding[]> {
  const { effect } = subject
  const program = nameOf(subject)
  const words = ((effect.seen as readonly Arg[] | undefined) ?? []).map((arg) => textOf(arg.value))
  const loose = UNGUARDED[program]?.find((option) =>
    words.some((word) => word === option || word?.startsWith(`${option}=`)),
  )
  if (loose !== undefined)
    return [
      finding(subject, 'tamper', 'agent', 'deny', `${program} ${loose} starts an agent that no guard sees`, {
        safer: 'start it with its usual settings',
      }),
    ]
  const line = words.map((word) => word ?? '…').join(' ')
  if (LOOSE[program]?.test(line))
    return [
      finding(
        subject,
        'tamper',
        'agent',
        'deny',
        `${program} starts an agent without its limits, or changes its settings`,
        {
          safer: 'start it with its usual settings; a person changes them',
        },
      ),
    ]
  const missing = missingOption(program, words)
  if (missing !== undefined)
    return [
      finding(subject, 'tamper', 'agent', 'ask', `${program} without ${missing} starts an agent that no guard sees`, {
        safer: `start it with ${missing}`,
      }),
    ]
  const names = yield* tools.guardNames()
  if (!names.has(program)) return []
  const verb = words.find((word) => word !== undefined && !word.startsWith('-'))
  if (words.length === 0 || words.every((word) => word === '--version' || word === '--help')) return []
  if (verb !== undefined && (TELLING.has(verb) || (program === 'ctx' && !CTX_OF_PERSON.test(line)))) return []
  return [
    finding(
      subject,
      'tamper',
      'self',
      'deny',
      `${program} ${verb ?? ''} is for the person, not for an agent`.replace('  ', ' '),
      { safer: SAFER },
    ),
  ]
}
