/** What a matcher does other than its author may think. */
import { RE2JS } from 're2js'
import { SANDBOX_TOOLS } from '../contract.ts'
import { type About, type Finding, finding, quoted } from './findings.ts'
import { compileMatcher, type Matcher, TOO_LARGE, TOO_MANY } from './matcher.ts'

/** Names that other products and older pages use, and what does the same here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  read_file: 'view_file',
  read_many_files: 'view_file',
  Read: 'view_file',
  write_file: 'write_to_file',
  Write: 'write_to_file',
  list_files: 'list_dir',
  list_directory: 'list_dir',
  LS: 'list_dir',
  replace: 'replace_file_content',
  edit_file: 'replace_file_content',
  str_replace: 'replace_file_content',
  Edit: 'replace_file_content',
  MultiEdit: 'replace_file_content',
  multi_replace_file_content: 'replace_file_content',
  remove_file: 'delete_file',
  run_shell_command: 'code_execution',
  run_command: 'code_execution',
  execute_command: 'code_execution',
  shell: 'code_execution',
  Bash: 'code_execution',
  bash: 'code_execution',
}

const NAMES = SANDBOX_TOOLS.join(', ')

/** Id and text of each finding; all of them allow. */
type Said = readonly (readonly [string, string])[]

/** The findings of one file's matchers: those of the same text are found once. */
export class MatcherFindings {
  private readonly known = new Map<string, Said>()

  of(matcher: Matcher, about: About): readonly Finding[] {
    const said = this.known.get(matcher.text) ?? saidOf(matcher)
    this.known.set(matcher.text, said)
    return said.map(([id, text]) => finding('allows', id, text, about))
  }
}

function saidOf(matcher: Matcher): Said {
  const { text, broken } = matcher
  if (broken !== undefined) return [['matcher.invalid', invalid(text, broken)]]
  const words = new Set(text.match(/[A-Za-z_]+/g) ?? [])
  const old = Object.keys(OTHER_NAMES).filter((name) => words.has(name) && matcher.matches(name))
  const out = old.map((name): [string, string] => {
    const way = `use ${OTHER_NAMES[name]}`
    return ['matcher.old-name', `the matcher ${quoted(text)} has the old name ${name}, which is no tool here: ${way}`]
  })
  if (!SANDBOX_TOOLS.some((tool) => matcher.matches(tool)))
    return old.length > 0 ? out : [['matcher.none', none(matcher)]]
  if (!/^\w+(?:\|\w+)+$/.test(text)) return out
  const strange = text.split('|').filter((name) => !Object.hasOwn(OTHER_NAMES, name) && !isTool(name))
  return [
    ...out,
    ...strange.map((name): [string, string] => {
      return ['matcher.branch', `in the matcher ${quoted(text)} ${quoted(name)} is none of the tools ${NAMES}`]
    }),
  ]
}

const isTool = (name: string): boolean => (SANDBOX_TOOLS as readonly string[]).includes(name)

function invalid(text: string, broken: string): string {
  const said = `the matcher ${quoted(text)} matches nothing`
  if (broken === TOO_LARGE || broken === TOO_MANY) return `${said}: ${broken}`
  const glob = /^\*|[^.)\]}\w]\*/.test(text) && compileMatcher(text.replace(/\*/g, '.*')).broken === undefined
  if (!glob) return `${said}, it is no RE2 (${broken})`
  return `${said}: globs are no regular expressions, write ${quoted(text.replace(/(?<!\.)\*/g, '.*'))}`
}

function none({ text }: Matcher): string {
  const said = `the matcher ${quoted(text)} matches none of the tools ${NAMES}`
  let found: readonly string[] = []
  try {
    const pattern = RE2JS.compile(text)
    const folded = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE)
    found = SANDBOX_TOOLS.filter((tool) => pattern.matcher(tool).find())
    if (found.length === 0 && SANDBOX_TOOLS.some((tool) => folded.matches(tool)))
      return `${said}: upper and lower case differ`
  } catch {
    // It was compiled before; only with the further flag it might be none.
  }
  return found.length === 0 ? said : `${said}: it must match the whole name, as .*${text}.* would for ${found[0]}`
}
