/** `npm run bench -- <name>`: measures and prints a table. Numbers belong to one machine and moment: compare ratios. */

const BENCHES: Readonly<Record<string, () => Promise<{ run(args: readonly string[]): void | Promise<void> }>>> = {
  accuracy: () => import('./accuracy.ts'),
  adlc: () => import('./adlc.ts'),
  digest: () => import('./digest.ts'),
  egress: () => import('./egress.ts'),
  gates: () => import('./gates.ts'),
  git: () => import('./git.ts'),
  hook: () => import('./hook.ts'),
  hooks: () => import('./hooks.ts'),
  capture: () => import('./capture.ts'),
  search: () => import('./search.ts'),
  session: () => import('./session.ts'),
}

const [name = '', ...args] = process.argv.slice(2)
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined
if (bench === undefined) {
  process.stderr.write(`bench: name one of ${Object.keys(BENCHES).join(', ')}, as in: npm run bench -- hook\n`)
  process.exitCode = 2
} else {
  const { run } = await bench()
  await run(args)
}
