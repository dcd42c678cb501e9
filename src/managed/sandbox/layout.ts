/** How a sandbox looks from inside: which directories are the system's, which are the environment's own. */
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mount } from './driver.ts'

export const WORKSPACE = '/workspace'
export const HOME = '/home/agent'
export const USER = 'agent'
export const UID = 1000

/** Where the runtime's own Node and the certificates lie inside. */
const RUNTIME = '/runtime'
export const NODE_INSIDE = `${RUNTIME}/bin/node`
export const CA_INSIDE = `${RUNTIME}/ca.pem`
export const BUNDLE_INSIDE = `${RUNTIME}/bundle.pem`
/** Where the calls of an agent are handed in. */
export const CALLS_INSIDE = `${RUNTIME}/calls`
const SYSTEM_BUNDLE = '/etc/ssl/certs/ca-certificates.crt'

const LIBRARIES = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']
/** Names directly below the root that never belong to an environment: nothing is written there, from inside or outside. */
export const SYSTEM_NAMES: ReadonlySet<string> = new Set([...LIBRARIES, 'usr', 'etc', 'proc', 'sys', 'dev', 'runtime'])
const OWN_DIRECTORIES = ['workspace', 'home', 'home/agent', 'var', 'var/tmp', 'run', 'opt', 'srv', 'mnt']

const SYSTEM_PATH = `${RUNTIME}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`
/** Search path of programs; what an agent installs into its home comes first. */
export const SEARCH_PATH = `${HOME}/.local/bin:${SYSTEM_PATH}`
/** Variables for a program that must not take up what an agent has put into its home. */
export const APART: Readonly<Record<string, string>> = { PATH: SYSTEM_PATH, HOME: RUNTIME, PYTHONNOUSERSITE: '1' }

const ETC: Readonly<Record<string, string>> = {
  passwd: `root:x:0:0:root:/root:/usr/sbin/nologin\n${USER}:x:${UID}:${UID}::${HOME}:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`,
  group: `root:x:0:\n${USER}:x:${UID}:\nnogroup:x:65534:\n`,
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost\n',
  hostname: 'sandbox\n',
  // The stub of the sandbox answers; nothing leaves.
  'resolv.conf': 'nameserver 127.0.0.1\noptions timeout:2 attempts:2\n',
  'nsswitch.conf':
    'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\nprotocols: files\nservices: files\n',
  'host.conf': 'multi on\n',
}
/** Files of the host's `/etc` that hold no secret and that programs do not work without. */
const COPIED = ['ld.so.cache', 'ld.so.conf', 'services', 'protocols', 'mime.types', 'ssl/openssl.cnf', 'debian_version']

/** The files that all sandboxes of one runtime share, read-only. */
export interface Skeleton {
  /** Mounts of the system, the own `/etc` and `/runtime`, in the order in which they are made. */
  readonly mounts: readonly Mount[]
}

/** Writes the shared part below `dir`. `node` is the program that runs JavaScript inside. */
export function makeSkeleton(dir: string, node: string): Skeleton {
  const etc = join(dir, 'etc')
  const runtime = join(dir, 'runtime')
  for (const made of [join(etc, 'ssl/certs'), join(etc, 'alternatives'), join(runtime, 'bin'), join(dir, CALLS_INSIDE)])
    mkdirSync(made, { recursive: true, mode: 0o755 })
  for (const [name, text] of Object.entries(ETC)) writeFileSync(join(etc, name), text)
  for (const name of COPIED) if (existsSync(join('/etc', name))) copyFileSync(join('/etc', name), join(etc, name))
  // Places that files are bound over.
  for (const place of [join(dir, SYSTEM_BUNDLE), ...[NODE_INSIDE, CA_INSIDE, BUNDLE_INSIDE].map((at) => join(dir, at))])
    writeFileSync(place, '')
  const system = ['usr', ...LIBRARIES]
    .filter((name) => existsSync(`/${name}`))
    .map((name) => ({ host: realpathSync(`/${name}`), inside: `/${name}` }))
  const alternatives = existsSync('/etc/alternatives')
    ? [{ host: '/etc/alternatives', inside: '/etc/alternatives' }]
    : []
  return {
    mounts: [
      ...system,
      { host: etc, inside: '/etc' },
      ...alternatives,
      { host: runtime, inside: RUNTIME },
      { host: realpathSync(node), inside: NODE_INSIDE },
    ],
  }
}

/** Certificates of one environment: its CA, and the system's roots with it, also where programs look by themselves. */
export function certificateMounts(door: { readonly caFile: string; readonly bundleFile: string }): Mount[] {
  return [
    { host: door.bundleFile, inside: SYSTEM_BUNDLE },
    { host: door.caFile, inside: CA_INSIDE },
    { host: door.bundleFile, inside: BUNDLE_INSIDE },
  ]
}

/** Makes the directories that every environment has, for `owner` where it is another user. */
export function makeRoot(root: string, owner: number | undefined): void {
  const names = [...SYSTEM_NAMES, ...OWN_DIRECTORIES, 'tmp']
  for (const name of ['.', ...names]) {
    const at = join(root, name)
    mkdirSync(at, { recursive: true, mode: 0o755 })
    if (owner !== undefined) chownSync(at, owner, owner)
  }
  chmodSync(join(root, 'tmp'), 0o1777)
}
