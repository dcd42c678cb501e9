/** Imports: names that stand for modules and their members. */
import type { Token } from './lexer.ts'
import { bind, type Program } from './program.ts'
import { named } from './things.ts'

/** Python's and JavaScript's imports: names stand for modules and their members. */
export function imports(p: Program, token: Token): boolean {
  if (p.grammar.language === 'python')
    return token.text === 'import' || token.text === 'from' ? pythonImport(p, token) : false
  if (p.grammar.language === 'javascript' && token.text === 'import') return scriptImport(p)
  return false
}

function pythonImport(p: Program, token: Token): boolean {
  const { cursor } = p
  const end = cursor.lineEnd(cursor.at)
  const words = cursor.tokens
    .slice(cursor.at + 1, end)
    .filter((one) => one.t === 'name' || one.text === '.' || one.text === ',' || one.text === '*' || one.text === ';')
  const stop = words.findIndex((one) => one.text === ';')
  const line = stop < 0 ? words : words.slice(0, stop)
  const from = token.text === 'from'
  let module = ''
  let i = 0
  if (from) {
    for (; i < line.length && line[i]!.text !== 'import'; i++) module += line[i]!.text
    i++
  }
  let name = ''
  let alias: string | undefined
  const give = () => {
    if (name === '') return
    const full = from ? `${module}.${name}` : alias === undefined ? name.split('.')[0]! : name
    const canonical = p.grammar.canonical?.(full) ?? full
    if (name === '*')
      for (const row of p.rows.keys())
        if (row.startsWith(`${module}.`)) bind(p, row.slice(module.length + 1), named(row))
    if (name !== '*')
      bind(p, alias ?? (from ? name : name.split('.')[0]!), p.grammar.values?.(canonical, p.known) ?? named(canonical))
    name = ''
    alias = undefined
  }
  for (; i < line.length; i++) {
    const text = line[i]!.text
    if (text === ',') give()
    else if (text === 'as') alias = line[++i]?.text
    else name += text
  }
  give()
  const semicolon = cursor.find(';', cursor.at, end)
  cursor.at = semicolon < 0 ? end : semicolon
  return true
}

/** `import a, {b as c}, * as d from 'm'`. `import('m')` is an expression. */
function scriptImport(p: Program): boolean {
  const { cursor } = p
  const next = cursor.after(1)
  if (next?.text === '(' || next?.text === '.') return false
  let i = cursor.at + 1
  while (i < cursor.end && cursor.tokens[i]!.t !== 'string' && cursor.tokens[i]!.text !== ';') i++
  const module = cursor.tokens[i]
  const source = module?.pieces?.[0]
  const name = source?.is === 'text' ? source.text : ''
  const clause = cursor.tokens.slice(cursor.at + 1, i)
  let inside = false
  for (let at = 0; at < clause.length; at++) {
    const token = clause[at]!
    if (token.text === '{' || token.text === '}') inside = token.text === '{'
    if (token.t !== 'name' || token.text === 'from' || token.text === 'as' || token.text === 'type') continue
    const alias = clause[at + 1]?.text === 'as' ? clause[at + 2]?.text : undefined
    const full = inside && token.text !== 'default' ? `${name}.${token.text}` : name
    bind(p, alias ?? token.text, named(p.grammar.canonical?.(full) ?? full))
    if (alias !== undefined) at += 2
  }
  // `* as d`: the star is no name, so the alias itself was met and stands for the module.
  if (clause[0]?.text === '*' && clause[2]) bind(p, clause[2].text, named(p.grammar.canonical?.(name) ?? name))
  cursor.at = i + 1
  return true
}
