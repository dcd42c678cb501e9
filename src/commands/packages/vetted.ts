/** Packages that `npx` and its kin may fetch without a word: well-known development tools, by their exact names. */
import type { Row } from '../row.ts'

/** A development tool. `packages`: what it is called in the registry, where that is not the name of the program. */
export interface Tool extends Pick<Row, 'names'> {
  readonly packages?: string
}

/** Packages whose programs have rows in other tables, or that are libraries which bring such a program. */
const ELSEWHERE =
  'rimraf del-cli tsx ts-node nodemon concurrently cross-env dotenv-cli env-cmd start-server-and-test firebase-tools vercel netlify-cli wrangler aws-cdk serverless npm pnpm yarn bun node deno jq shx trash-cli  npm-run-all npm-run-all2 uuid mkdirp cpy-cli is-ci license-checker prisma drizzle-kit knex sequelize-cli typeorm @mikro-orm/cli supabase lerna @changesets/cli semantic-release np release-it @vscode/vsce ovsx jsr eas-cli gh-pages surge turbo nx c8 nyc @dotenvx/dotenvx @babel/node vite-node esno jiti'

/** Starters of new projects: they write into a directory of their own. */
const STARTERS =
  'create-vite create-next-app create-react-app create-vue create-astro create-svelte create-remix create-react-router create-t3-app create-expo-app create-nuxt nuxi create-docusaurus create-turbo create-hono create-solid create-qwik create-preact create-electron-app create-tauri-app create-playwright create-storybook create-cloudflare create-nx-workspace create-react-native-app create-rspack create-rsbuild create-vitepress create-eslint-config degit tiged @eslint/create-config @vue/create @nestjs/create @angular/create @sveltejs/create @shadcn/ui shadcn sv express-generator'

let known: Map<string, string> | undefined

/** The program that a vetted package brings, or undefined where the package is none of those. */
export function programOf(name: string, tools: readonly Tool[]): string | undefined {
  if (known === undefined) {
    known = new Map()
    for (const package_ of `${ELSEWHERE} ${STARTERS}`.split(' ')) known.set(package_, lastPart(package_))
    for (const tool of tools)
      for (const package_ of `${tool.names} ${tool.packages ?? ''}`.split(' ').filter(Boolean))
        known.set(package_, tool.names.includes(package_) ? package_ : tool.names.split(' ')[0]!)
    for (const [package_, program] of BRINGS) known.set(package_, program)
  }
  return known.get(name)
}

/** Packages whose program is called otherwise. */
const BRINGS: readonly (readonly [string, string])[] = [
  ['firebase-tools', 'firebase'],
  ['netlify-cli', 'netlify'],
  ['aws-cdk', 'cdk'],
  ['dotenv-cli', 'dotenv'],
  ['trash-cli', 'trash'],
  ['@dotenvx/dotenvx', 'dotenvx'],
  ['@babel/node', 'babel-node'],
  ['sequelize-cli', 'sequelize'],
  ['@mikro-orm/cli', 'mikro-orm'],
  ['@changesets/cli', 'changeset'],
  ['@vscode/vsce', 'vsce'],
  ['eas-cli', 'eas'],
]

/** `@acme/tool` → `tool`. */
export const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/** A package as it is asked for: name and version, or an address that it is fetched from. */
export function readSpec(text: string): { readonly name: string; readonly is: 'name' | 'address' | 'local' } {
  if (/^(?:\.{1,2}(?:[\\/]|$)|[\\/~]|[A-Za-z]:[\\/]|(?:file|link|portal|workspace):)/.test(text))
    return { name: text, is: 'local' }
  const parts = /^(@[^/@]+\/[^@]+|[^@/]+)(?:@(.*))?$/.exec(text)
  const version = parts?.[2] ?? ''
  if (isAddress(text) || parts === null) return { name: text, is: 'address' }
  if (/^npm:/.test(version)) return readSpec(version.slice(4))
  if (/^(?:file|link|portal|workspace):/.test(version)) return { name: parts[1]!, is: 'local' }
  if (isAddress(version)) return { name: text, is: 'address' }
  return { name: parts[1]!, is: /\.(?:tgz|tar\.gz|tar)$/.test(text) ? 'local' : 'name' }
}

/** An address, `host:owner/name`, or `owner/name` of GitHub. */
const isAddress = (text: string): boolean =>
  /^(?:git\+|git:|git@|ssh:|https?:|github:|gitlab:|bitbucket:|gist:)/i.test(text) ||
  /^[\w.-]+\/[\w.-]+(?:#.*)?$/.test(text)
