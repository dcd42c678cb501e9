/** Hosts that take our plugin: the file, with the commands of a scenario in it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Hooks, PROJECT, type Registered } from './scenario.ts'

/**
 * Writes the plugin into `directory`, one file for each command of an event, ours before the others in the alphabet. An event that a scenario does not register
 * is answered with silence, as by a host that has no hook there.
 */
export function plug(host: 'opencode' | 'pi', directory: string, registered: Registered, hooks: Hooks): void {
  const text = readFileSync(join(PROJECT, 'plugin', host, 'sallyport.js'), 'utf8')
  mkdirSync(directory, { recursive: true })
  const most = Math.max(...Object.values(hooks).map((commands) => commands.length))
  for (let at = 0; at < most; at++) {
    const cases = Object.entries(hooks).map(([event, commands]) => `${event}) ${commands[at] ?? 'true'};;`)
    // The event is the last word that the plugin gives.
    const command = ['/bin/sh', '-c', `case "$1" in ${cases.join(' ')} esac`]
    const filled = text
      .replace("const COMMAND = ['NODE', 'HOOK']", `const COMMAND = ${JSON.stringify(command)}`)
      .replace('const WAIT = 10_000', `const WAIT = ${registered.timeout * 1000}`)
    if (filled.split('\n').length !== text.split('\n').length || filled.includes("'HOOK'"))
      throw new Error(`the plugin for ${host} has no place for its command`)
    writeFileSync(join(directory, at === 0 ? 'sallyport.js' : `then-${at}.js`), filled)
  }
}
