/**
 * Who programs in a sandbox are on the host. A runtime that is root gives them another identity: files of the kernel below
 * `/proc` belong to root, and a namespace takes root's capabilities away but not what root owns.
 */
import { writeFileSync } from 'node:fs'
import { UID } from './layout.ts'

export type Identity =
  /** The runtime's own user, seen inside as `agent`. */
  | { readonly is: 'own' }
  /** Another user, which a namespace shows as `agent`. */
  | { readonly is: 'mapped'; readonly uid: number }
  /** Another user without a namespace of users; inside it has its number. */
  | { readonly is: 'plain'; readonly uid: number }

/** A number that no system hands out: above the ranges of containers, below those that are taken as signed. */
const OTHER = 1_879_050_000

/** The identity where namespaces of users can be used or cannot; without them it takes root. */
export const identityOf = (userNamespaces: boolean): Identity =>
  process.getuid?.() !== 0 ? { is: 'own' } : { is: userNamespaces ? 'mapped' : 'plain', uid: OTHER }

/** Who owns the files of an environment; undefined: the runtime's own user. */
export const ownerOf = (identity: Identity): number | undefined => (identity.is === 'own' ? undefined : identity.uid)

/** Shows root as root and the other user as `agent` in the new namespace of process `pid`. */
export function mapIds(pid: number, identity: Extract<Identity, { is: 'mapped' }>): void {
  for (const kind of ['gid', 'uid']) writeFileSync(`/proc/${pid}/${kind}_map`, `0 0 1\n${UID} ${identity.uid} 1\n`)
}

/** Options of bwrap for a program that enters the environment's namespaces before. */
export function identityOptions(identity: Identity): string[] {
  if (identity.is === 'own') return ['--unshare-user', '--uid', String(UID), '--gid', String(UID)]
  // For the change of user below; both are gone after it.
  return ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']
}

/** Words before the program, inside: become the user. */
export function becomeWords(identity: Identity): string[] {
  if (identity.is === 'own') return []
  const id = identity.is === 'mapped' ? UID : identity.uid
  return ['/usr/bin/setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--inh-caps=-all', '--']
}
