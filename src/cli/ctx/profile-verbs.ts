/** What `ctx profile` does. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { PROFILES, profileRoot, trust, trustedHashes } from '../../containment/profiles/files.ts'
import { type Found, findProfiles, loadProfile } from '../../containment/profiles/load.ts'
import { templateOf } from '../../containment/profiles/template.ts'
import { type Tried, tryProfile } from '../../containment/profiles/try.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import { askTerminal, surroundings, whyNoPerson } from '../person/person.ts'

export interface TestFlags {
  readonly json?: boolean
  readonly show?: boolean
  readonly trust?: boolean
}

/** Asks a person; a clause where none can be asked. */
export type Ask = (question: string) => boolean | string

const askPerson =
  (env: Io['env']): Ask =>
  (question) =>
    whyNoPerson(surroundings(env)) ?? /^y(?:es)?$/i.test(askTerminal(`${question} [y/N] `))

/** Tries profiles. Exit code: 0, 1 where something does not hold, 2 where there is nothing to try. */
export function testProfiles(flags: TestFlags, which: readonly string[], io: Io, ask: Ask = askPerson(io.env)): number {
  const chosen = choose(which, io)
  if (typeof chosen === 'string') {
    io.err(`ctx profile test: ${chosen}\n`)
    return EXIT.usage
  }
  let code: number = EXIT.ok
  for (const found of chosen) {
    const tried = found.profile === undefined ? [] : tryProfile(found.profile)
    const holds = found.faults.length === 0 && tried.every(({ misses }) => misses.length === 0)
    if (!holds) code = EXIT.problem
    tell(found, tried, flags, io)
    if (!flags.trust || found.trusted || found.sha256 === undefined) continue
    if (!holds) io.err(`ctx profile test: ${found.file} is not trusted, since it does not hold\n`)
    else if (!trusting(found, found.sha256, io, ask)) code = EXIT.problem
  }
  return code
}

function tell(found: Found, tried: readonly Tried[], { json, show }: TestFlags, io: Io): void {
  const file = relative(io.cwd, found.file) || found.file
  const { faults, trusted, profile } = found
  if (json) {
    const tests = tried.map(({ name, misses, text }) => ({
      name,
      ok: misses.length === 0,
      misses,
      ...(show ? { text } : {}),
    }))
    io.out(`${JSON.stringify({ file, id: profile?.id ?? null, trusted, faults, tests })}\n`)
    return
  }
  for (const fault of faults) io.out(`fault  ${fault}\n`)
  for (const { name, misses, text } of tried) {
    io.out(`${misses.length === 0 ? 'ok    ' : 'missed'} ${file}: ${name}\n`)
    for (const miss of misses) io.out(`       ${miss}\n`)
    if (show) io.out(text)
  }
  if (profile !== undefined && tried.length === 0) io.out(`ok     ${file}: it has no tests\n`)
}

/** Asks a person whether to trust a content. */
function trusting(found: Found, sha256: string, io: Io, ask: Ask): boolean {
  const id = found.profile?.id ?? ''
  const answer = ask(`Use the digests of ${found.file} (${id}, sha256 ${sha256.slice(0, 12)})?`)
  if (typeof answer === 'string') {
    io.err(`ctx profile test: ${found.file} is not trusted: ${answer}\n`)
    return false
  }
  if (!answer) {
    io.err(`ctx profile test: ${found.file} is not trusted\n`)
    return false
  }
  const failed = trust(io.env, homeOf(io.env), found.file, sha256)
  if (failed !== undefined) io.err(`ctx profile test: ${failed}\n`)
  else io.err(`ctx profile test: ${found.file} is used from now on, as long as its content stays the same\n`)
  return failed === undefined
}

/** The profiles that are named: by a path, by the name of a file, or all of the repository. A sentence where one is not there. */
function choose(which: readonly string[], io: Io): readonly Found[] | string {
  const { root, found } = findProfiles(io.env, homeOf(io.env), io.cwd)
  if (which.length === 0) {
    if (found.length > 0) return found
    return `there are no profiles in ${join(root, PROFILES)}; write one with ctx profile new <name>`
  }
  const trusted = trustedHashes(io.env, homeOf(io.env))
  const out: Found[] = []
  for (const name of which) {
    const known = found.find((one) => one.profile?.id === name || one.file.endsWith(`/${name}.jsonc`))
    const file = resolve(io.cwd, name)
    if (known !== undefined) out.push(known)
    else if (existsSync(file)) out.push(loadProfile(file, trusted))
    else return `there is no profile ${JSON.stringify(name)}, and no such file`
  }
  return out
}

export interface NewFlags {
  readonly command?: string
}

/** Writes a profile to start from. Exit code: 0, 1 where it cannot be written, 2 for bad input. */
export function newProfile({ command }: NewFlags, id: string, io: Io): number {
  const refuse = (why: string, code: number) => {
    io.err(`ctx profile new: ${why}\n`)
    return code
  }
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(id))
    return refuse(`${JSON.stringify(id)} is no name; use small letters, digits and hyphens`, EXIT.usage)
  const called = (command ?? id).trim().replace(/\s+/g, ' ')
  if (called === '' || called.split(' ')[0]!.includes('/'))
    return refuse(
      `--command ${JSON.stringify(command)} must begin with the name of a program, without its directory`,
      EXIT.usage,
    )
  const file = join(profileRoot(io.cwd)?.root ?? io.cwd, PROFILES, `${id}.jsonc`)
  if (existsSync(file)) return refuse(`${file} is there already; edit it, or choose another name`, EXIT.usage)
  const beside = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(beside, templateOf(id, called), { flag: 'wx' })
    renameSync(beside, file)
  } catch (error) {
    return refuse(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`, EXIT.problem)
  }
  io.out(`${file}\n`)
  io.err(
    `ctx profile new: edit it, try it with ctx profile test ${id}, and use it with ctx profile test --trust ${id}\n`,
  )
  return EXIT.ok
}

/** Lists profiles. Exit code: 0, 1 where one has a fault. */
export function listProfiles({ json }: { readonly json?: boolean }, io: Io): number {
  const { root, found } = findProfiles(io.env, homeOf(io.env), io.cwd)
  for (const { file, profile, faults, trusted, sha256 } of found) {
    const name = relative(io.cwd, file) || file
    if (json) {
      const tests = profile?.tests.length ?? 0
      io.out(
        `${JSON.stringify({ file: name, id: profile?.id ?? null, sha256: sha256 ?? null, trusted, faults, tests })}\n`,
      )
      continue
    }
    const state = faults.length > 0 ? 'broken' : trusted ? 'used' : 'not trusted'
    io.out(`${(profile?.id ?? '?').padEnd(20)} ${state.padEnd(12)} ${name}\n`)
    for (const fault of faults) io.out(`  ${fault}\n`)
  }
  if (found.length === 0) io.err(`ctx profile list: there are no profiles in ${join(root, PROFILES)}\n`)
  else if (!json && found.some(({ trusted, faults }) => !trusted && faults.length === 0))
    io.err(
      'ctx profile list: what is not trusted is not used; a person at a terminal trusts it with ctx profile test --trust\n',
    )
  return found.some(({ faults }) => faults.length > 0) ? EXIT.problem : EXIT.ok
}
