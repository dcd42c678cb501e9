/**
 * Programs of every day whose words or variables do more than their row says: they start others by an option, a variable or a word: pagers, previews, remote runners. What
 * their own row says about files holds beside it.
 */
import { type Arg, concat, exact, prefixOf, textOf, type Value } from '../core/value.ts'
import type { Doing, Invocation } from './doing.ts'
import { lists } from './list.ts'
import { cutArg } from './options.ts'

/** Options whose value is a command, by program. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  man: ['-P', '--pager', '-H', '--html'],
  'bat batcat delta ag ack rg gh': ['--pager'],
  'fzf sk': ['--preview'],
  tcpdump: ['-z', '--postrotate-command'],
  openvpn: ['--up', '--down', '--route-up', '--tls-verify', '--client-connect'],
  zip: ['-TT', '--unzip-command'],
  wget: ['--use-askpass'],
  logrotate: ['-m', '--mail'],
  'konsole xterm alacritty kitty foot st urxvt lxterminal': ['-e'],
  aria2c: ['--on-download-complete', '--on-download-stop', '--on-download-error'],
  mpv: ['--script'],
  yazi: [],
}

/** Variables whose value these programs run. */
const VARIABLES =
  'PAGER MANPAGER LESSOPEN LESSCLOSE BROWSER EDITOR VISUAL SYSTEMD_PAGER AWS_PAGER GH_PAGER BAT_PAGER DELTA_PAGER PSQL_PAGER PSQL_EDITOR FCEDIT SUDO_EDITOR SUDO_ASKPASS SSH_ASKPASS RIPGREP_CONFIG_PATH'

/** Programs that look at those variables, where the line set them before. */
const LOOKS =
  'man less more bat batcat delta systemctl journalctl psql mysql gh aws crontab visudo sudoedit sudo xdg-open open'

/** Modules of Ansible whose arguments are a command line. */
const SHELL_MODULES = /^(?:|ansible\.(?:builtin|legacy)\.)(?:command|shell|raw)$/

const shell = (text: Value, label: string, more: Partial<Extract<Doing, { do: 'code' }>> = {}): Doing => ({
  do: 'code',
  language: 'sh',
  text,
  label,
  ...more,
})

/** What the words and variables of a call make it run. Pure. */
export function codeOfCall(call: Invocation, own: ReadonlySet<string>): readonly Doing[] {
  const doings: Doing[] = []
  for (const [name, value] of call.env) {
    if (!lists(VARIABLES, name) || name === 'RIPGREP_CONFIG_PATH') continue
    if (!(own.has(name) || lists(LOOKS, call.base))) continue
    const text = textOf(value)
    const piped = text === undefined ? value : exact(text.replace(/^[|-]+/, ''))
    doings.push(shell(piped, name, { when: 'branch' }))
  }
  const options = Object.entries(OPTIONS).find(([names]) => lists(names, call.base))?.[1] ?? []
  for (const [i, arg] of call.args.entries()) {
    const text = prefixOf(arg.value)
    for (const option of options) {
      const after = call.args[i + 1]
      if (text === option && after) doings.push(shell(after.value, option, { when: 'branch' }))
      else if (text.startsWith(`${option}=`)) doings.push(shell(cutArg(arg, option.length + 1).value, option))
      else if (option.length === 2 && text.startsWith(option) && text.length > 2 && call.base === 'man')
        doings.push(shell(cutArg(arg, 2).value, option))
    }
    if (call.base === 'less' || call.base === 'more' || call.base === 'pg') {
      const typed = /^\+[^!]*!(.+)/s.exec(text)?.[1]
      if (typed !== undefined) doings.push(shell(exact(typed), `${call.base} +!`))
    }
    if ((call.base === 'fzf' || call.base === 'sk') && /(?:execute|become|reload|preview|transform)[^(]*\(/.test(text))
      for (const match of text.matchAll(/(?:execute|become|reload|preview|transform)[a-z-]*\(([^()]*)\)/g))
        doings.push(shell(exact(match[1]!), 'fzf --bind', { when: 'branch' }))
  }
  return [...doings, ...started(call)]
}

const machine = (call: Invocation, what: string, note: string): Doing => ({
  do: 'other',
  act: 'system',
  service: call.base,
  what,
  note,
})

const reveal = (call: Invocation, what: string): Doing => ({ do: 'other', act: 'reveal', service: call.base, what })

/** Programs that hand words to another program in a way of their own. */
function started(call: Invocation): readonly Doing[] {
  const words = call.args.map((arg) => textOf(arg.value) ?? '')
  const after = (...names: readonly string[]): Arg | undefined => {
    const at = words.findIndex((word) => names.includes(word))
    return at < 0 ? undefined : call.args[at + 1]
  }
  switch (call.base) {
    case 'ip': {
      const at = words.indexOf('exec')
      if (words.includes('netns') && at >= 0) return [{ do: 'run', argv: call.args.slice(at + 2) }]
      const [object, verb] = words.filter((one) => !one.startsWith('-'))
      const changes = /^(?:set|del|delete|flush|change|replace|add)$/.test(verb ?? '')
      return changes ? [machine(call, `${object} ${verb}`, 'service')] : []
    }
    case 'loginctl':
      return /^(?:enable-linger|terminate-|kill-)/.test(words[0] ?? '') ? [machine(call, words[0]!, 'schedule')] : []
    case 'ps':
      // Without a dash, `e` shows the environment of every process.
      return /^[a-df-z]*e[a-z]*$/i.test(words[0] ?? '') ? [reveal(call, 'the environment of processes')] : []
    case 'aws':
      return words.includes('export-credentials') ? [reveal(call, 'credentials')] : []
    case 'npm':
    case 'pnpm':
    case 'yarn': {
      const shows = words.some((one) => /^(?:config|get|c)$/.test(one)) && !words.includes('set')
      return shows && words.some((one) => /:?_(?:authToken|auth|password)$/.test(one)) ? [reveal(call, 'a token')] : []
    }
    case 'start-stop-daemon': {
      const program = after('-x', '--exec', '-a', '--startas')
      const at = words.indexOf('--')
      const stops = words.some((word) => /^(?:-K|--stop|-T|--status)$/.test(word))
      return program && !stops ? [{ do: 'run', argv: [program, ...(at < 0 ? [] : call.args.slice(at + 1))] }] : []
    }
    case 'ansible': {
      const text = after('-a', '--args')
      const module = textOf(after('-m', '--module-name')?.value) ?? 'command'
      if (text === undefined || !SHELL_MODULES.test(module)) return []
      const here = words.includes('local') || words.some((word) => /^(?:localhost|127\.0\.0\.1),?$/.test(word))
      return [shell(text.value, 'ansible -a', here ? {} : { where: { is: 'host', name: words[0] ?? '?' } })]
    }
    case 'salt-call':
    case 'salt': {
      const at = words.findIndex((word) => /^cmd\.(?:run|shell|run_all|exec_code)/.test(word))
      const text = call.args[at + 1]
      if (at < 0 || text === undefined) return []
      return [shell(text.value, words[at]!, call.base === 'salt' ? { where: { is: 'host', name: words[0]! } } : {})]
    }
    case 'pssh':
    case 'parallel-ssh':
    case 'pdsh':
    case 'clush': {
      const rest = call.args.filter((_, i) => !words[i]!.startsWith('-') && !/^-[hHlpotwgx]$/.test(words[i - 1] ?? ''))
      if (rest.length === 0) return []
      const text = rest.map((arg) => arg.value).reduce((a, b) => concat(concat(a, exact(' ')), b))
      return [shell(text, call.base, { where: { is: 'host', name: 'several hosts' } })]
    }
    case 'heroku':
    case 'fly':
    case 'flyctl': {
      const at = words.findIndex((word) => /^run(?::detached)?$|^console$/.test(word))
      const command = call.args.slice(at + 1).filter((_, i) => !words[at + 1 + i]!.startsWith('-'))
      return call.base === 'heroku' && at >= 0 && command.length > 0
        ? [
            {
              do: 'run',
              argv: call.args.slice(at + 1).filter((arg) => textOf(arg.value) !== '--'),
              where: { is: 'host', name: 'heroku' },
            },
          ]
        : []
    }
    case 'watchexec': {
      const texts = call.args.filter((arg) =>
        /^(?:rm|git|find|sh|bash|sudo|dd|mv|chmod|curl)\s/.test(textOf(arg.value) ?? ''),
      )
      return texts.map((arg) => shell(arg.value, 'watchexec', { when: 'branch' }))
    }
  }
  return []
}
