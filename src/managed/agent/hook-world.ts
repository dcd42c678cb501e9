/** What hooks see of an environment. */
import {
  type Egress,
  type Environments,
  type HookPin,
  type HookWorld,
  ManagedError,
  type Network,
} from '../contract.ts'
import { APART } from '../sandbox/layout.ts'

const isDisabled = (network: Network): boolean =>
  network === 'disabled' || (typeof network === 'object' && network.allowlist === 'disabled')

/** Throws `ManagedError` 404 where the environment is gone. `pin`: what was frozen when it was made. */
export async function hookWorldOf(
  environments: Environments,
  egress: Pick<Egress, 'request'>,
  id: string,
  pin: HookPin | undefined,
): Promise<HookWorld> {
  const record = await environments.get(id)
  if (record === undefined) throw new ManagedError(404, 'not_found', `Environment '${id}' was deleted.`)
  const { network } = record
  return {
    environment: id,
    files: await environments.files(id),
    roots: await environments.hookRoots(id),
    // Pinned hooks are not led astray by programs and settings in the agent's home either.
    run: (run) => environments.run(id, pin === undefined ? run : { ...run, env: { ...run.env, ...APART } }),
    request: (request) => egress.request(network, id, request),
    networkDisabled: isDisabled(network),
    ...(pin === undefined ? {} : { pin }),
  }
}
