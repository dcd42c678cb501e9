/** Expressions are matched in a thread of their own: one that takes too long can be given up. */
import { Worker } from 'node:worker_threads'
import { type Matches, matchChunk, matchFixed, type Spec } from './match.ts'

/** Milliseconds that expressions may take in all. */
const LIMIT_MS = 2000

export interface Matcher {
  /** Matches of one chunk; undefined where the time is up. The chunk may not be used afterwards. */
  match(chunk: Uint8Array, most: number, until: number): Promise<Matches | undefined>
  end(): void
}

/** Why patterns cannot be searched for, as a clause; undefined where they can. */
export function wrongPattern({ patterns, fixed }: Pick<Spec, 'patterns' | 'fixed'>): string | undefined {
  for (const pattern of patterns) {
    const shown = JSON.stringify(pattern)
    if (pattern === '') return 'an empty pattern is in every line; leave it away'
    if (pattern.length > MOST_PATTERN)
      return `the pattern ${shown.slice(0, 13)}… is longer than ${MOST_PATTERN} characters`
    if (fixed && pattern.includes('\n')) return `${shown} spans lines; patterns are looked for line by line`
    if (fixed) continue
    try {
      new RegExp(pattern)
    } catch (error) {
      const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : ''
      return `${shown} is no expression (${why}); --fixed takes it as a text`
    }
  }
  return undefined
}

const MOST_PATTERN = 2000

export function matcherOf(spec: Spec, limitMs = LIMIT_MS): Matcher {
  if (spec.fixed || spec.patterns.length === 0)
    return { match: async (chunk, most, until) => matchFixed(chunk, spec, most, until), end() {} }
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    const matchChunk = ${matchChunk.toString()}
    parentPort.on('message', ({ chunk, most, until }) =>
      parentPort.postMessage(matchChunk(chunk, workerData, most, until)))`
  let worker: Worker | undefined
  let left = limitMs
  let over = false
  const stop = (): void => {
    over = true
    void worker?.terminate()
  }
  return {
    match(chunk, most, until) {
      worker ??= new Worker(code, { eval: true, workerData: spec, execArgv: [] })
      const thread = worker
      const own = Uint8Array.from(chunk)
      return new Promise((resolve, reject) => {
        if (over) return resolve(undefined)
        const began = performance.now()
        const timer = setTimeout(() => {
          stop()
          resolve(undefined)
        }, left)
        thread.removeAllListeners()
        thread.once('error', (error) => {
          clearTimeout(timer)
          reject(error)
        })
        thread.once('message', (found: Matches) => {
          clearTimeout(timer)
          left = Math.max(1, left - (performance.now() - began))
          resolve(found)
        })
        thread.postMessage({ chunk: own, most, until }, [own.buffer])
      })
    },
    end: stop,
  }
}
