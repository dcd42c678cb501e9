/**
 * Drives real agent CLIs offline and prints what they did.
 *
 *     node test/drive/main.ts [options] claude codex
 *
 *     --install          bring missing CLIs in the versions of the receipts, and drive nothing; with --latest the newest
 *     --built            take the hook in `dist/`, not the one in `src/`
 *     --hook COMMAND     take any other hook; `{host}` and `{event}` in it are replaced
 *     --write            store receipts
 *     --only ID, --keep  drive one scenario; leave the scratch tree and show what the CLI wrote
 *
 * Exits 1 when a scenario did not come out as claimed, 2 on bad usage.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DRIVERS } from '../../src/cli/probe/rig/drivers.ts'
import type { Receipt } from '../../src/cli/probe/rig/receipt.ts'
import { BUILT_HOOK, type Driver, drive, PROJECT, SOURCE_HOOK } from '../../src/cli/probe/rig/scenario.ts'
import { driveDirectory } from '../../src/cli/probe/rig/scratch.ts'
import { install, versionOf } from './install.ts'

const { values, positionals } = readArguments()
const hook = values.hook ?? (values.built ? BUILT_HOOK : SOURCE_HOOK)
const drivers = positionals.map((name) => DRIVERS.find(({ host }) => host === name))
if (drivers.length === 0 || drivers.some((one) => one === undefined)) {
  process.stderr.write(`drive: name the hosts to drive: ${DRIVERS.map(({ host }) => host).join(', ')}\n`)
  process.exit(2)
}
if (values.install) install(drivers as Driver[], values.latest)
else for (const driver of drivers as Driver[]) await driveAll(driver)

async function driveAll(driver: Driver): Promise<void> {
  const program = driver.program(driveDirectory())
  if (program === undefined) {
    process.stderr.write(`drive: ${driver.host} is not installed; run with --install first\n`)
    process.exitCode = 2
    return
  }
  const version = versionOf(program)
  process.stdout.write(`${driver.host} ${version}\n`)
  const scenarios = []
  const refused = new Set<string>()
  for (const scenario of driver.scenarios.filter((one) => values.only === '' || one.id === values.only)) {
    const { receipt, trouble, strays } = await drive(driver, program, scenario, hook, { keep: values.keep })
    scenarios.push(receipt)
    for (const stray of strays) refused.add(stray)
    const { ran, modelSaw } = receipt.observed
    const line = [receipt.ok ? 'ok  ' : 'FAIL', scenario.id.padEnd(22), ran ? 'ran    ' : 'not run', short(modelSaw)]
    process.stdout.write(`  ${line.join('  ')}\n${trouble === '' ? '' : `        ${trouble}\n`}`)
    if (!receipt.ok) process.exitCode = 1
  }
  if (refused.size > 0) process.stdout.write(`  refused to let it reach: ${[...refused].join(', ')}\n`)
  const date = new Date().toISOString().slice(0, 10)
  const platform = `${process.platform}-${process.arch}`
  const receipt: Receipt = { v: 1, host: driver.host, version, platform, date, driver: driver.file, scenarios }
  if (values.write && values.only === '') store(receipt)
}

function store(receipt: Receipt): void {
  const directory = join(PROJECT, 'receipts', receipt.host)
  // A newer receipt of a host stands in place of the older one.
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const file = `${receipt.version}.json`
  writeFileSync(join(directory, file), JSON.stringify(receipt, null, 2) + '\n')
  process.stdout.write(`  receipts/${receipt.host}/${file}\n`)
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 90 ? `${line.slice(0, 90)}…` : line
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        install: { type: 'boolean', default: false },
        latest: { type: 'boolean', default: false },
        built: { type: 'boolean', default: false },
        hook: { type: 'string' },
        write: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        keep: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    process.stderr.write(`drive: ${(error as Error).message}\n`)
    process.exit(2)
  }
}
