/** Doings in a compact notation, one line each: for test tables and for explaining a verdict. Never parsed back. */
import type { Brought, GitOp } from '../core/git-op.ts'
import { type Arg, showValue, type Value } from '../core/value.ts'
import type { Content, Doing, Elsewhere, Listed } from './doing.ts'

/** Characters that would make a literal word look like something else in this notation. */
const QUOTED = /^$|[\s"'*?[\]{}|…→]/

/** A value: `a.txt`, `"two words"`, `*.ts`, `pre…suf`, `a|b`, `?` for unknown. Literal words with marks are quoted. */
export function showWord(value: Value): string {
  switch (value.is) {
    case 'exact':
      return QUOTED.test(value.text) ? JSON.stringify(value.text) : value.text
    case 'oneOf':
      return value.texts.map((text) => (QUOTED.test(text) ? JSON.stringify(text) : text)).join('|')
    case 'unknown':
      return '?'
    default:
      return showValue(value).replaceAll('\n', '\\n')
  }
}

const show = (arg: Arg): string => showWord(arg.value)
const showAll = (args: readonly Arg[]): string => args.map(show).join(' ')

const showText = (value: Value): string => (value.is === 'exact' ? JSON.stringify(value.text) : showWord(value))

const showListed = (listed: Listed): string =>
  (listed.tree ? 'tree:' : '') + show(listed.at) + (listed.only ? `:${listed.only}` : '')

/** A stream: its text, `files(…)`, `paths(…)`, `!taint` for each taint; `none` for a stdin that nobody fills. */
function showContent(content: Content): string {
  const out: string[] = []
  if (content.files) out.push(`files(${showAll(content.files)})`)
  if (content.of) out.push(`of files(${showAll(content.of)})`)
  if (content.paths) out.push(`paths(${content.paths.map(showListed).join(' ')})`)
  if (content.none) out.push('none')
  if (out.length === 0 || content.text.is !== 'unknown') out.unshift(showText(content.text))
  return [...out, ...content.taints.map((taint) => `!${taint}`)].join(' ')
}

function showWhere(where: Elsewhere): string {
  const mounts = (where.mounts ?? []).map(
    (mount) => ` mount:${show(mount.here)}=${mount.there}${mount.readonly ? ':ro' : ''}`,
  )
  return `${where.is}:${where.name}${where.same ? ' same' : ''}${mounts.join('')}`
}

/** Puts remarks that hold in brackets behind a line. */
function remarks(line: string, ...words: readonly (string | false | undefined)[]): string {
  const given = words.filter((word) => word !== undefined && word !== false && word !== '')
  return given.length === 0 ? line : `${line} [${given.join(', ')}]`
}

/** One doing as one line, such as `delete/ dist`, `run rm -rf x`, `code sh "ls" [later]`. */
export function showDoing(d: Doing): string {
  switch (d.do) {
    case 'path':
      return remarks(
        `${d.act}${d.tree ? '/' : ''} ${show(d.at)}`,
        d.follow && 'follow',
        d.only,
        d.detail,
        d.content && `= ${showContent(d.content)}`,
        d.note && `#${d.note}`,
      )
    case 'copy':
      return remarks(
        `copy ${showAll(d.from)} → ${show(d.to)}`,
        d.into !== 'maybe' && `into:${d.into}`,
        d.tree && 'tree',
        d.mirror && 'mirror',
        d.keeps && 'keeps',
      )
    case 'move':
      return remarks(
        `move ${showAll(d.from)} → ${show(d.to)}`,
        d.into !== 'maybe' && `into:${d.into}`,
        d.keeps && 'keeps',
      )
    case 'link':
      return remarks(
        `link ${showAll(d.from)} → ${d.to ? show(d.to) : '.'}`,
        d.into !== 'maybe' && `into:${d.into}`,
        d.symbolic && 'symbolic',
        d.force && 'force',
      )
    case 'unpack':
      return remarks(`unpack ${d.archive ? show(d.archive) : '-'} → ${d.into ? show(d.into) : '.'}`, d.keeps && 'keeps')
    case 'kept':
      return `kept ${showAll(d.from)} → ${show(d.at)}`
    case 'run':
      return remarks(
        `run ${showAll(d.argv)}`,
        d.stdin && `stdin ${showContent(d.stdin)}`,
        d.cwd && `in ${show(d.cwd)}`,
        ...[...(d.set ?? [])].map(([name, value]) => `${name}=${showWord(value)}`),
        ...(d.unset ?? []).map((name) => `unset ${name}`),
        d.when,
        d.where && showWhere(d.where),
      )
    case 'code':
      return remarks(
        `code ${d.language} ${showText(d.text)}`,
        d.args && d.args.length > 0 && `args ${showAll(d.args)}`,
        ...(d.taints ?? []).map((taint) => `!${taint}`),
        d.stdin && `stdin ${showContent(d.stdin)}`,
        d.cwd && `in ${show(d.cwd)}`,
        d.label && `as ${d.label}`,
        d.when,
        d.where && showWhere(d.where),
        d.here && 'here',
      )
    case 'script':
      return remarks(
        `script ${show(d.path)}${d.args.length > 0 ? ` ${showAll(d.args)}` : ''}`,
        d.language,
        d.cwd && `in ${show(d.cwd)}`,
        d.when,
        d.where && showWhere(d.where),
        d.here && 'here',
        d.onPath && 'on PATH',
      )
    case 'git':
      return remarks(`git ${showGit(d.op)}`, d.at && `in ${show(d.at)}`, d.when)
    case 'other':
      return remarks(
        `other ${d.act} ${d.service} ${d.what}`,
        d.local && 'local',
        d.at && `at ${show(d.at)}`,
        d.note && `#${d.note}`,
      )
    case 'send':
      return remarks(
        `send ${d.files.length > 0 ? `${showAll(d.files)} ` : ''}→ ${showWord(d.to)}`,
        d.content && showContent(d.content),
      )
    case 'out':
      return `out ${showContent(d.content)}`
    case 'set':
      return `set ${d.name}=${showWord(d.value)}`
    case 'opaque':
      return remarks(`opaque ${d.what}`, d.note && `#${d.note}`)
  }
}

/** A git operation by its kind and its fields in order: `discard all staged:true`; absent and false fields are left out. */
function showGit(op: GitOp): string {
  const { is, ...fields } = op as { readonly is: string } & Readonly<Record<string, unknown>>
  return [is, ...Object.entries(fields).flatMap(([name, value]) => showField(name, value))].join(' ')
}

function showField(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === false) return []
  if (value === true) return [name]
  if (name === 'paths') {
    const paths = value as { readonly is: string; readonly paths?: readonly Arg[] }
    return [paths.is === 'all' ? 'all' : (paths.paths ?? []).map(show).join(' ')]
  }
  if (name === 'refspecs') {
    const specs = value as readonly { from: string; to: string; force: boolean; delete: boolean }[]
    return specs.map((spec) => `${spec.force ? '+' : ''}${spec.delete ? '' : spec.from}:${spec.to}`)
  }
  if (name === 'brings') {
    const { how, revs, unknown } = value as Brought
    return [`brings:${[how, ...revs, ...(unknown ? ['?'] : [])].join(',')}`]
  }
  if (Array.isArray(value)) return [(value as readonly Arg[]).map(show).join(' ')]
  if (name === 'setting') {
    const { key, value: text } = value as { readonly key: string; readonly value: string | undefined }
    return [`${key}=${text ?? '…'}`]
  }
  if (typeof value === 'object' && value !== null && 'value' in value) return [show(value as Arg)]
  return [`${name}:${String(value)}`]
}
