/** Which tools a rule is for: RE2 on the whole name, and three texts that mean every tool. */
import { RE2JS } from 're2js'
import { SANDBOX_TOOLS } from '../contract.ts'
import { type About, type Finding, finding, quoted } from './findings.ts'

export interface Matcher {
  readonly text: string
  matches(tool: string): boolean
  /** Why it cannot be compiled; it then matches nothing. */
  readonly broken?: string
}

/** Longer ones are no names of tools, and compiling them takes time. */
const LONGEST = 4_096

/** `*` and the empty text are no RE2, but published as catch-alls. */
const EVERYTHING = new Set(['', '*', '.*'])

export function compileMatcher(text: string): Matcher {
  if (EVERYTHING.has(text)) return { text, matches: () => true }
  const nothing = (broken: string): Matcher => ({ text, matches: () => false, broken })
  if (text.length > LONGEST) return nothing(`it is longer than ${LONGEST} characters`)
  try {
    const compiled = RE2JS.compile(text)
    return { text, matches: (tool) => compiled.matches(tool) }
  } catch (error) {
    return nothing((error instanceof Error ? error.message : String(error)).replace(/^error parsing regexp: /, ''))
  }
}

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

/** What a matcher does other than its author may think. */
export function matcherFindings(matcher: Matcher, about: About): readonly Finding[] {
  const { text, broken } = matcher
  if (broken !== undefined) return [finding('allows', 'matcher.invalid', invalid(text, broken), about)]
  const out: Finding[] = []
  const words = new Set(text.match(/[A-Za-z_]+/g) ?? [])
  const old = Object.keys(OTHER_NAMES).filter((name) => words.has(name) && matcher.matches(name))
  for (const name of old)
    out.push(
      finding(
        'allows',
        'matcher.old-name',
        `the matcher ${quoted(text)} has the old name ${name}, which is no tool here: use ${OTHER_NAMES[name]}`,
        about,
      ),
    )
  if (!SANDBOX_TOOLS.some((tool) => matcher.matches(tool))) {
    if (old.length === 0) out.push(finding('allows', 'matcher.none', none(matcher), about))
  } else if (/^\w+(?:\|\w+)+$/.test(text)) {
    for (const branch of text.split('|'))
      if (!Object.hasOwn(OTHER_NAMES, branch) && !SANDBOX_TOOLS.some((tool) => tool === branch))
        out.push(
          finding(
            'allows',
            'matcher.branch',
            `in the matcher ${quoted(text)} ${quoted(branch)} is none of the tools ${NAMES}`,
            about,
          ),
        )
  }
  return out
}

function invalid(text: string, broken: string): string {
  const glob = /^\*|[^.)\]}\w]\*/.test(text) && compileMatcher(text.replace(/\*/g, '.*')).broken === undefined
  const way = glob
    ? `: globs are no regular expressions, write ${quoted(text.replace(/(?<!\.)\*/g, '.*'))}`
    : `, it is no RE2 (${broken})`
  return `the matcher ${quoted(text)} matches nothing${way}`
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
    // Compiled before; only a stranger flag could fail here.
  }
  return found.length === 0 ? said : `${said}: it must match the whole name, as .*${text}.* would for ${found[0]}`
}
