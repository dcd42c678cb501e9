/** Verbs that speak with other repositories. */
import type { Refspec } from '../../core/git-op.ts'
import { type Arg, exact, showValue, textOf, textsOf, unknown } from '../../core/value.ts'
import type { Doing } from '../doing.ts'
import {
  asksPerson,
  change,
  fixed,
  type GitCall,
  has,
  lastOf,
  onPath,
  other,
  parse,
  pure,
  type Setting,
  type VerbReader,
  word,
} from './call.ts'
import { codeOfOption, codeOfSetting, codeOfUrl, foldKey, redirected } from './code.ts'
import { bypass, hooks } from './hooks.ts'
import { onSpecs, pathsOf } from './pathspec.ts'
import { nameOf } from './worktree.ts'

function refspecOf(text: string): Refspec {
  const force = text.startsWith('+')
  const body = force ? text.slice(1) : text
  const colon = body.indexOf(':')
  if (colon < 0) return { from: body, to: body, force, delete: false }
  const from = body.slice(0, colon)
  const to = body.slice(colon + 1)
  // A lone colon pushes all branches that both sides have.
  return { from, to: to === '' ? from : to, force, delete: from === '' && to !== '' }
}

/** One or more refspecs for a word: each text that it may be. */
function refspecsOf(arg: Arg): readonly Refspec[] {
  const texts = textsOf(arg.value)
  if (texts) return texts.filter((text) => !text.startsWith('^')).map(refspecOf)
  return [{ ...refspecOf(arg.value.is === 'unknown' ? '' : showValue(arg.value)), delete: false, unknown: true }]
}

const deletes = (arg: Arg): readonly Refspec[] =>
  refspecsOf(arg).map((spec) => ({ ...spec, from: '', to: spec.to, delete: true }))

const PUSH =
  '-f|--force --force-with-lease? --no-force-with-lease --force-if-includes --no-force-if-includes -d|--delete --mirror' +
  ' --prune --all|--branches --tags --follow-tags --no-follow-tags -n|--dry-run --porcelain -u|--set-upstream' +
  ' -o|--push-option: --receive-pack|--exec: --repo: --no-verify --verify -q|--quiet -v|--verbose --progress' +
  ' --no-progress --thin --no-thin --atomic --no-atomic --signed? --no-signed --recurse-submodules?' +
  ' --no-recurse-submodules -4|--ipv4 -6|--ipv6'

export const push: VerbReader = function* (git) {
  const parsed = parse(git, PUSH)
  if (has(parsed, '-n')) return []
  const [first, ...rest] = parsed.operands
  const remote = first ?? lastOf(parsed, '--repo')
  const refspecs: Refspec[] = []
  for (let i = 0; i < rest.length; i++) {
    const arg = rest[i]!
    if (textOf(arg.value) === 'tag' && rest[i + 1] !== undefined) {
      const tag = nameOf(rest[++i])
      refspecs.push({ from: `refs/tags/${tag}`, to: `refs/tags/${tag}`, force: false, delete: has(parsed, '-d') })
    } else refspecs.push(...(has(parsed, '-d') ? deletes(arg) : refspecsOf(arg)))
  }
  const noVerify = parsed.order.findLast((o) => /^--(?:no-)?verify$/.test(o.option))?.option === '--no-verify'
  const unsure = [first, ...rest].some(
    (arg) => arg?.value.is === 'unknown' || /^-/.test(arg?.value.is === 'partly' ? arg.value.prefix : ''),
  )
  return [
    change(git, {
      is: 'push',
      remote: remote === undefined || remote.value.is === 'unknown' ? undefined : nameOf(remote),
      refspecs,
      force: has(parsed, '-f'),
      lease: has(parsed, '--force-with-lease') && !has(parsed, '-f'),
      mirror: has(parsed, '--mirror'),
      prune: has(parsed, '--prune'),
      all: has(parsed, '--all'),
      tags: has(parsed, '--tags', '--follow-tags'),
      noVerify,
      ...(unsure ? { unsure: true } : {}),
    }),
    ...codeOfUrl(remote),
    ...codeOfOption(lastOf(parsed, '--receive-pack'), 'receive-pack', 'branch'),
    ...(yield* hooks(git, 'push', noVerify ? '--no-verify' : undefined)),
  ]
}

const FETCH =
  '--all --no-all -a|--append --atomic --depth: --deepen: --shallow-since: --shallow-exclude: --unshallow' +
  ' --update-shallow --negotiation-tip: --negotiate-only --dry-run --porcelain --write-fetch-head --no-write-fetch-head' +
  ' -f|--force -k|--keep --multiple --auto-maintenance --no-auto-maintenance --auto-gc --no-auto-gc --prefetch -p|--prune' +
  ' -P|--prune-tags -n|--no-tags --refetch --refmap: -t|--tags --recurse-submodules? --no-recurse-submodules -j|--jobs:' +
  ' --set-upstream --submodule-prefix: -u|--update-head-ok --upload-pack: -q|--quiet -v|--verbose --progress' +
  ' --no-progress -o|--server-option: --show-forced-updates --no-show-forced-updates -4|--ipv4 -6|--ipv6 --stdin' +
  ' --filter: --write-commit-graph --no-write-commit-graph'

/** Local branches that the refspecs of a fetch move by force; a word without a colon moves none. */
const movedBranches = (git: GitCall, force: boolean, args: readonly Arg[]): readonly Doing[] =>
  args
    .flatMap((arg) => (textsOf(arg.value) ?? []).filter((text) => text.includes(':')).map(refspecOf))
    .filter((spec) => (force || spec.force) && !/^refs\/(?:remotes|tags|notes)\//.test(spec.to))
    .map((spec) => change(git, { is: 'force-branch', name: spec.to.replace(/^refs\/heads\//, ''), to: spec.from }))

export const fetch: VerbReader = pure((git) => {
  const parsed = parse(git, FETCH)
  const code = [
    ...(has(parsed, '--multiple') ? parsed.operands : parsed.operands.slice(0, 1)).flatMap(codeOfUrl),
    ...codeOfOption(lastOf(parsed, '--upload-pack'), 'upload-pack', 'branch'),
  ]
  if (has(parsed, '--dry-run')) return code
  return [other(git), ...movedBranches(git, has(parsed, '-f'), parsed.operands.slice(1)), ...code]
})

const PULL =
  `${FETCH} -r?|--rebase? --no-rebase --ff --no-ff --ff-only --commit --no-commit -e|--edit --no-edit --cleanup:` +
  ' -s|--strategy: -X|--strategy-option: --log? --no-log --squash --no-squash --stat --no-stat --autostash' +
  ' --no-autostash --allow-unrelated-histories --signoff --verify --no-verify -S?|--gpg-sign? --no-gpg-sign'

export const pull: VerbReader = function* (git) {
  const parsed = parse(git, PULL)
  const code = [
    ...parsed.operands.slice(0, 1).flatMap(codeOfUrl),
    ...codeOfOption(lastOf(parsed, '--upload-pack'), 'upload-pack', 'branch'),
  ]
  if (has(parsed, '--dry-run')) return code
  const skipped = has(parsed, '--no-verify') ? '--no-verify' : undefined
  return [
    other(git),
    ...movedBranches(git, has(parsed, '-f'), parsed.operands.slice(1)),
    ...code,
    ...(yield* hooks(git, 'pull', skipped)),
  ]
}

const CLONE =
  '-l|--local --no-local --no-hardlinks -s|--shared --reference: --reference-if-able: --dissociate -q|--quiet -v|--verbose' +
  ' --progress --server-option: -n|--no-checkout --no-reject-shallow --reject-shallow --bare --mirror -o|--origin:' +
  ' -b|--branch: --revision: -u|--upload-pack: --template: -c|--config: --depth: --shallow-since: --shallow-exclude:' +
  ' --single-branch --no-single-branch --tags --no-tags --recurse-submodules?|--recursive? --shallow-submodules' +
  ' --no-shallow-submodules --remote-submodules --no-remote-submodules --separate-git-dir: --ref-format: -j|--jobs:' +
  ' --filter: --also-filter-submodules --sparse --bundle-uri:'

/** The directory that a clone makes where none is given. */
export function cloneName(url: string, bare: boolean): string {
  const path = url.replace(/[/\\]+$/, '').replace(/[/\\]\.git$/, '')
  const last = /([^/\\:]+)$/.exec(path)?.[1] ?? path
  const name = last.replace(/\.(?:git|bundle)$/, '')
  return bare ? `${name}.git` : name
}

export const clone: VerbReader = pure((git) => {
  const parsed = parse(git, CLONE)
  const [url, dir] = parsed.operands
  if (url === undefined) return []
  const bare = has(parsed, '--bare', '--mirror')
  const text = textOf(url.value)
  const to =
    dir ?? (text === undefined ? { value: unknown('variable'), span: url.span } : word(cloneName(text, bare), url))
  const code: Doing[] = [...codeOfUrl(url), ...codeOfOption(lastOf(parsed, '-u'), 'upload-pack', 'branch')]
  for (const arg of parsed.values.get('-c') ?? []) {
    const pair = textOf(arg.value)
    const at = pair?.indexOf('=') ?? -1
    if (pair === undefined) code.push({ do: 'opaque', what: 'clone --config', note: 'git-config' })
    else if (at > 0) code.push(...settled({ key: foldKey(pair.slice(0, at)), value: exact(pair.slice(at + 1)) }))
  }
  const template = lastOf(parsed, '--template')
  if (template && textOf(template.value) !== '') {
    code.push({ do: 'other', act: 'guard', service: 'git hooks', what: 'clone --template', note: 'hooks-bypass' })
    const hook = concatPath(template, 'hooks/post-checkout')
    code.push(
      hook
        ? { do: 'script', path: hook, args: [], when: 'branch' }
        : { do: 'opaque', what: 'clone --template', note: 'hooks-path' },
    )
  }
  const separate = lastOf(parsed, '--separate-git-dir')
  return [
    { do: 'other', act: 'fetch', service: 'git', what: nameOf(url) },
    onPath(git, 'create', to, { tree: true }),
    ...(separate ? [onPath(git, 'create', separate, { tree: true })] : []),
    change(git, { is: 'make', path: fixed(git, to) }),
    ...code,
  ]
})

/** A setting that the clone keeps. */
const settled = (setting: Setting): readonly Doing[] => [
  ...(setting.key === 'core.hookspath' ? [bypass(`core.hooksPath=${showValue(setting.value)}`)] : []),
  ...redirected(setting),
  ...codeOfSetting(setting, 'branch'),
]

const concatPath = (dir: Arg, name: string): Arg | undefined => {
  const text = textOf(dir.value)
  return text === undefined ? undefined : word(`${text.replace(/\/$/, '')}/${name}`, dir)
}

export const remote: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    '-v|--verbose -t: -m: -f --tags --no-tags --mirror? --push --delete --add --all -n -d -a|--auto -p|--prune --progress',
  )
  const [verb, , url] = parsed.operands
  switch (textOf(verb?.value)) {
    case 'add':
    case 'set-url':
      return [other(git, `remote ${nameOf(verb)}`), ...codeOfUrl(url)]
    case 'show':
    case 'get-url':
    case undefined:
      return verb === undefined || verb.value.is === 'exact' ? [] : [other(git)]
    default:
      return [other(git, `remote ${nameOf(verb)}`)]
  }
})

export const lsRemote: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    '-b|--branches|--heads|-h -t|--tags --refs -q|--quiet --upload-pack|--exec: --exit-code --get-url --sort: --symref -o|--server-option:',
  )
  return [
    ...parsed.operands.slice(0, 1).flatMap(codeOfUrl),
    ...codeOfOption(lastOf(parsed, '--upload-pack'), 'upload-pack', 'branch'),
  ]
})

const SUBMODULE =
  '-q|--quiet --init --force|-f --remote -N|--no-fetch --checkout --merge --rebase --recursive --reference: --depth:' +
  ' -b|--branch: --name: -j|--jobs: --all --filter: --single-branch --no-single-branch --progress --cached --files'

export const submodule: VerbReader = function* (git) {
  const start = parse(git, '-q|--quiet --cached', { stop: true }).operands
  const [head, ...rest] = start
  const verb = textOf(head?.value)
  const inner: GitCall = { ...git, args: rest }
  switch (verb) {
    case 'foreach': {
      const args = parse(inner, '--recursive -q|--quiet', { stop: true }).operands
      const [first, ...more] = args
      if (first === undefined) return []
      if (more.length > 0) return [{ do: 'run', argv: args, when: 'branch' }]
      return [{ do: 'code', language: 'sh', text: first.value, when: 'branch', label: 'submodule foreach' }]
    }
    case 'update': {
      const parsed = parse(inner, SUBMODULE)
      if (!has(parsed, '--force')) return [other(git, 'submodule update')]
      const paths = yield* pathsOf(git, parsed.operands)
      return [change(git, { is: 'discard', paths, staged: true, submodules: true })]
    }
    case 'deinit': {
      const parsed = parse(inner, SUBMODULE)
      if (!has(parsed, '--force')) return [other(git, 'submodule deinit')]
      const paths = yield* pathsOf(git, parsed.operands)
      return [
        change(git, { is: 'discard', paths, staged: true, submodules: true }),
        ...(yield* onSpecs(git, 'delete', parsed.operands, { note: 'git' })),
      ]
    }
    case 'add': {
      const [url, path] = parse(inner, SUBMODULE).operands
      if (url === undefined) return []
      const to = path ?? word(cloneName(nameOf(url), false), url)
      return [
        { do: 'other', act: 'fetch', service: 'git', what: nameOf(url) },
        onPath(git, 'create', to, { tree: true }),
        onPath(git, 'edit', word('.gitmodules')),
        other(git, 'submodule add'),
        ...codeOfUrl(url),
      ]
    }
    case 'status':
    case 'summary':
    case undefined:
      return []
    default:
      return [other(git, `submodule ${verb}`)]
  }
}

/** Mail leaves the machine: files named, to the addresses given. */
export const sendEmail: VerbReader = pure((git) => {
  const parsed = parse(
    git,
    '--to: --cc: --bcc: --from: --subject: --in-reply-to: --smtp-server: --smtp-user: --smtp-pass: --smtp-server-port: --sendmail-cmd: --to-cmd: --cc-cmd: --header-cmd: --dry-run --annotate --compose --suppress-cc: --confirm: --reroll-count: --no-validate --validate',
  )
  if (has(parsed, '--dry-run') || (asksPerson(git) && parsed.operands.length === 0)) return []
  const server = lastOf(parsed, '--smtp-server')
  return [
    { do: 'send', to: lastOf(parsed, '--to')?.value ?? unknown('input'), files: parsed.operands },
    ...['--sendmail-cmd', '--to-cmd', '--cc-cmd', '--header-cmd'].flatMap((name) =>
      codeOfOption(lastOf(parsed, name), name, 'branch'),
    ),
    ...(server && /^\//.test(textOf(server.value) ?? '') ? codeOfOption(server, 'smtp-server', 'branch') : []),
  ]
})
