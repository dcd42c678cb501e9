// Runs on any Node, before the scripts of the checkout: they need its packages, and a stack of imports says nothing to a person.
import { existsSync } from 'node:fs'

if (!existsSync(new URL('../node_modules/@stricli/core', import.meta.url))) {
  process.stderr.write('the packages of this checkout are not installed yet; run npm ci first\n')
  process.exit(1)
}
