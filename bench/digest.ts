/**
 * What digests lose and cost: `npm run bench -- digest [--sets open,second] [--seed N] [--soak]`. Makes the open corpora
 * once in a cache outside the repository, generates a second set, and measures ours beside what else there is.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { bytesOf } from '../src/containment/bytes.ts'
import { digestOf, RUN_WINDOWS } from '../src/containment/digest/digest.ts'
import { ALL_PARTS, type Parts } from '../src/containment/digest/generic.ts'
import { tokensOf } from '../src/containment/tokens.ts'
import { contextMode } from './context-mode.ts'
import { type Arm, fabricated, falseVerdict, headTail, hostRule, reachable, tailLines } from './digest-arms.ts'
import { cost } from './digest-cost.ts'
import type { Corpus, Needle } from './second/kit.ts'
import { secondSet } from './second-set.ts'
import { median, ms, table } from './stats.ts'
import { tokenizer } from './tokenizer.ts'

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sallyport-bench')
const BUDGETS = [150, 300, 600, 1200] as const
const CLASSES = ['verdict', 'cause', 'failure', 'file', 'count', 'shape', 'quiet', 'tail'] as const
const HANDLE = 'run:0123456789ab'
/** Recall at 600 tokens, as a share. */
const BAR = 0.95

const say = (text: string): void => void process.stdout.write(`${text}\n`)

export async function run(args: readonly string[]): Promise<void> {
  const value = (flag: string) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined)
  const sets = (value('--sets') ?? 'open,second').split(',')
  const seed = Number(value('--seed') ?? 7)
  say(`Node ${process.version}; cache ${CACHE}`)
  let passed = true
  if (sets.includes('open')) passed = (await measure('open corpora', openCorpora())) && passed
  if (sets.includes('second')) passed = (await measure(`second set, seed ${seed}`, secondSet(seed))) && passed
  cost(join(CACHE, 'sizes'), args.includes('--soak'), say)
  say(passed ? '\nall bars are met' : '\na bar is missed')
  if (!passed) process.exitCode = 1
}

/** The corpora of `corpora.sh`, made on the first call. */
function openCorpora(): Corpus[] {
  const place = join(CACHE, 'open')
  const done = join(place, 'done')
  if (!existsSync(done)) {
    say('making the open corpora (a minute or two; needs gcc, g++, cargo, javac, mvn, python3 with pytest, git)')
    mkdirSync(place, { recursive: true })
    copyFileSync(join(import.meta.dirname, 'corpora.sh'), join(place, 'corpora.sh'))
    // The machine's own programs, as they are without this package and its runner around them.
    const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
    const path = (process.env['PATH'] ?? '').split(':').filter((part) => !part.includes('node_modules'))
    const env = { ...Object.fromEntries(own), PATH: path.join(':') }
    const shell = (line: string) =>
      spawnSync('bash', ['-c', line], { cwd: place, env, stdio: ['ignore', 'ignore', 'ignore'] })
    shell('npm init -y && npm i --no-audit --no-fund typescript@5 eslint@9 jest@29 mocha@11')
    shell('bash ./corpora.sh')
    if (readdirSync(join(place, 'o')).length < 32) throw new Error(`the corpora in ${place} are not complete`)
    writeFileSync(done, '')
  }
  const labels = JSON.parse(readFileSync(join(import.meta.dirname, 'needles.json'), 'utf8')) as Record<
    string,
    { exit: number; needles: Needle[] }
  >
  return Object.entries(labels)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([id, { exit, needles }]) => ({ id, exit, needles, text: readFileSync(join(place, 'o', `${id}.txt`)) }))
    .filter(asLabelled)
}

/** Whether an output has the facts that its labels name. Tools of other versions may write none of them. */
function asLabelled({ id, needles, text }: Corpus): boolean {
  const lacking = needles.find(
    ({ class: kind, any }) =>
      kind !== 'verdict' && kind !== 'count' && !any.some((spelling) => text.includes(spelling)),
  )
  if (lacking !== undefined)
    say(`${id} is left out: on this machine it does not hold ${JSON.stringify(lacking.any[0])}`)
  return lacking === undefined
}

/** Ours, with parts switched off. */
const ours =
  (off: readonly (keyof Parts)[] = []): Arm =>
  (corpus, budget) => {
    const parts = { ...ALL_PARTS, ...Object.fromEntries(off.map((part) => [part, false])) }
    const digest = digestOf(
      {
        bytes: bytesOf(corpus.text),
        commands: [],
        label: `corpus ${corpus.id}`,
        exit: corpus.exit,
        budget,
        handle: HANDLE,
        windows: RUN_WINDOWS,
        mask: (text) => ({ text, masked: 0 }),
      },
      { parts },
    )
    return { ...digest, text: digest.text }
  }

const visible = (needle: Needle, text: string): boolean => needle.any.some((spelling) => text.includes(spelling))
const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)}%`)

async function measure(title: string, corpora: readonly Corpus[]): Promise<boolean> {
  say(
    `\n# ${title}: ${corpora.length} outputs, ${corpora.reduce((sum, { needles }) => sum + needles.length, 0)} needles\n`,
  )
  const peers = await contextMode(join(CACHE, 'tools'), corpora)
  const arms: Readonly<Record<string, Arm>> = {
    ours: ours(),
    'ours, generic alone': ours(['families']),
    'head and tail': headTail,
    'tail -50': tailLines,
    'host rule': hostRule,
    ...peers,
  }
  recallTable(corpora, arms)
  classTable(corpora)
  const met = barTable(corpora)
  ablation(corpora)
  estimator(corpora)
  return met
}

function recallTable(corpora: readonly Corpus[], arms: Readonly<Record<string, Arm>>): void {
  const rows = [
    ['needle recall at tokens', ...BUDGETS.map(String), 'median tokens', 'of raw', 'of host', 'false verdicts'],
  ]
  for (const [name, arm] of Object.entries(arms)) {
    const cells: string[] = []
    let tokens: number[] = []
    let wrong = 0
    for (const budget of BUDGETS) {
      let seen = 0
      let all = 0
      if (budget === 600) tokens = []
      for (const corpus of corpora) {
        const { text } = arm(corpus, budget)
        seen += corpus.needles.filter((needle) => visible(needle, text)).length
        all += corpus.needles.length
        if (budget !== 600) continue
        tokens.push(tokensOf(text))
        if (falseVerdict(text, corpus.exit)) wrong++
      }
      cells.push(percent(seen, all))
    }
    const sum = tokens.reduce((a, b) => a + b, 0)
    const raw = corpora.reduce((total, { text }) => total + tokensOf(String(text)), 0)
    const host = corpora.reduce((total, corpus) => total + tokensOf(hostRule(corpus, 0).text), 0)
    rows.push([name, ...cells, String(median(tokens)), percent(sum, raw), percent(sum, host), String(wrong)])
  }
  say(table(rows))
}

function classTable(corpora: readonly Corpus[]): void {
  const rows = [['ours, by class', ...BUDGETS.map(String), 'needles']]
  for (const kind of CLASSES) {
    const all = corpora.flatMap(({ needles }) => needles.filter((needle) => needle.class === kind)).length
    if (all === 0) continue
    const cells = BUDGETS.map((budget) => {
      const seen = corpora.flatMap((corpus) => {
        const { text } = ours()(corpus, budget)
        return corpus.needles.filter((needle) => needle.class === kind && visible(needle, text))
      }).length
      return percent(seen, all)
    })
    rows.push([kind, ...cells, String(all)])
  }
  say(`\n${table(rows)}`)
}

/** The bars, for all of it and for the generic digest alone. */
function barTable(corpora: readonly Corpus[]): boolean {
  const rows = [
    ['bars', 'recall at 600', 'reachable', 'false verdicts', 'fabricated lines', 'larger than raw', 'ms per MB'],
  ]
  let met = true
  for (const [name, arm] of [
    ['all of it', ours()],
    ['generic alone', ours(['families'])],
  ] as const) {
    const count = { seen: 0, reached: 0, all: 0, wrong: 0, invented: 0, larger: 0 }
    const times: number[] = []
    for (const corpus of corpora)
      for (const budget of BUDGETS) {
        const started = performance.now()
        const made = arm(corpus, budget)
        const spent = performance.now() - started
        const lines = fabricated(made.text, corpus.text)
        for (const line of lines) say(`${corpus.id} at ${budget}: not in the capture: ${JSON.stringify(line)}`)
        count.invented += lines.length
        if (falseVerdict(made.text, corpus.exit) || made.status !== (corpus.exit === 0 ? 'ok' : 'failed')) count.wrong++
        const body = made.text.slice(made.text.indexOf('\n') + 1)
        if (tokensOf(body) > (made.rawTokens ?? 0) || Buffer.byteLength(body) > corpus.text.length) count.larger++
        for (const needle of corpus.needles)
          if (visible(needle, made.text) || reachable(needle, made.addresses ?? [], corpus.text, HANDLE))
            count.reached++
          else say(`${corpus.id} at ${budget}: not reached: ${needle.any[0]}`)
        count.all += corpus.needles.length
        if (budget !== 600) continue
        count.seen += corpus.needles.filter((needle) => visible(needle, made.text)).length
        if (corpus.text.length > 200_000) times.push(spent / (corpus.text.length / 1e6))
      }
    const needles = count.all / BUDGETS.length
    if (count.seen < BAR * needles || count.reached < count.all || count.wrong + count.invented + count.larger > 0)
      met = false
    rows.push([
      name,
      percent(count.seen, needles),
      percent(count.reached, count.all),
      String(count.wrong),
      String(count.invented),
      String(count.larger),
      ms(median(times)),
    ])
  }
  say(`\n${table(rows)}`)
  return met
}

function ablation(corpora: readonly Corpus[]): void {
  const rows = [['generic, without', ...BUDGETS.map(String), 'tokens at 600']]
  const parts = (Object.keys(ALL_PARTS) as (keyof Parts)[]).filter((part) => part !== 'families')
  for (const off of [undefined, ...parts]) {
    const arm = ours(off === undefined ? ['families'] : ['families', off])
    let tokens = 0
    const cells = BUDGETS.map((budget) => {
      let seen = 0
      let all = 0
      for (const corpus of corpora) {
        const { text } = arm(corpus, budget)
        if (budget === 600) tokens += tokensOf(text)
        seen += corpus.needles.filter((needle) => visible(needle, text)).length
        all += corpus.needles.length
      }
      return percent(seen, all)
    })
    rows.push([off ?? 'nothing off', ...cells, String(tokens)])
  }
  say(`\n${table(rows)}`)
}

/** How far the estimate is from a real tokenizer. */
function estimator(corpora: readonly Corpus[]): void {
  const count = tokenizer(join(CACHE, 'tools'))
  if (count === undefined) {
    say('\nno tokenizer in the cache: the estimate is not compared')
    return
  }
  const errors = corpora.map((corpus) => {
    const text = corpus.text.toString()
    return { id: corpus.id, error: tokensOf(text) / count(text) - 1 }
  })
  const off = errors.filter(({ error }) => Math.abs(error) > 0.1)
  const worst = Math.max(...errors.map(({ error }) => Math.abs(error)))
  say(
    `\nestimate against o200k: median ${percent(median(errors.map(({ error }) => Math.abs(error))), 1)} off, worst ${percent(worst, 1)}, beyond 10 %: ${off.map(({ id, error }) => `${id} ${percent(error, 1)}`).join(', ') || 'none'}`,
  )
}
