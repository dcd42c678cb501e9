/** The running sandboxes of the environments: opened when one is used, closed when it has been idle. */
import { type Clock, type Egress, type EgressDoor, ManagedError, type Network, type Report } from '../contract.ts'
import type { Cell, CellSpec, Driver } from './driver.ts'
import { BUNDLE_INSIDE, CA_INSIDE, certificateMounts } from './layout.ts'
import { PROXY_PORT } from './opener.ts'

export interface UseSpec extends Omit<CellSpec, 'door'> {
  /** Ids of the credentials that its variables name. */
  readonly credentials: readonly string[]
}

/** A sandbox that can be used now. */
export interface OpenCell {
  readonly cell: Cell
  /** Variables that tell programs of the proxy and of the CA. */
  readonly variables: Readonly<Record<string, string>>
}

interface Slot {
  readonly opening: Promise<OpenCell & { readonly door: EgressDoor }>
  users: number
  cancelIdle: (() => void) | undefined
}

export interface CellsOptions {
  readonly driver: Driver
  readonly egress: Egress
  readonly clock: Clock
  readonly report: Report
  /** Milliseconds without use until what still runs is stopped. */
  readonly idleAfter: number
}

export class Cells {
  readonly #options: CellsOptions
  readonly #slots = new Map<string, Slot>()
  readonly #closing = new Map<string, Promise<void>>()

  constructor(options: CellsOptions) {
    this.#options = options
  }

  /**
   * Runs `body` with the environment's sandbox. `network` is read when it opens, which may be after another one has
   * closed. Rejects with ManagedError where it cannot be opened.
   */
  async use<T>(spec: UseSpec, network: () => Network, body: (open: OpenCell) => Promise<T>): Promise<T> {
    await this.#closing.get(spec.id)
    let slot = this.#slots.get(spec.id)
    if (slot === undefined) {
      slot = { opening: this.#open(spec, network()), users: 0, cancelIdle: undefined }
      this.#slots.set(spec.id, slot)
    }
    const used = slot
    used.users++
    used.cancelIdle?.()
    try {
      return await body(await used.opening)
    } catch (error) {
      // A sandbox that did not open is tried anew by the next use.
      if (await failed(used.opening)) this.#slots.delete(spec.id)
      throw error
    } finally {
      used.users--
      if (used.users === 0 && this.#slots.get(spec.id) === used)
        used.cancelIdle = this.#options.clock.after(this.#options.idleAfter, () => void this.#idle(spec.id, used))
    }
  }

  /** New rules count at once where the sandbox is open; else they do when it opens. */
  async setNetwork(id: string, network: Network): Promise<void> {
    const slot = this.#slots.get(id)
    if (slot === undefined) return
    const open = await slot.opening.catch(() => undefined)
    open?.door.setNetwork(network)
  }

  /** Kills what runs and closes the way out. */
  stop(id: string): Promise<void> {
    const slot = this.#slots.get(id)
    if (slot === undefined) return this.#closing.get(id) ?? Promise.resolve()
    this.#slots.delete(id)
    slot.cancelIdle?.()
    const closing = this.#close(slot).finally(() => {
      if (this.#closing.get(id) === closing) this.#closing.delete(id)
    })
    this.#closing.set(id, closing)
    return closing
  }

  async close(): Promise<void> {
    await Promise.all([...this.#slots.keys()].map((id) => this.stop(id)))
    await Promise.all(this.#closing.values())
  }

  isOpen(id: string): boolean {
    return this.#slots.has(id)
  }

  async #idle(id: string, slot: Slot): Promise<void> {
    if (slot.users > 0 || this.#slots.get(id) !== slot) return
    await this.stop(id)
    this.#options.report({ kind: 'environment.idle', environment: id, text: 'stopped after it was idle; files stay' })
  }

  async #open(spec: UseSpec, network: Network): Promise<OpenCell & { readonly door: EgressDoor }> {
    const { driver, egress } = this.#options
    const door = await egress.open(spec.id, network, spec.credentials)
    try {
      await egress.selfTest(door, network)
      const mounts = [...spec.mounts, ...certificateMounts(door)]
      const cell = await driver.open({ ...spec, mounts, door: door.socket })
      return { cell, door, variables: { ...PROXY, ...door.variables(BUNDLE_INSIDE, CA_INSIDE) } }
    } catch (error) {
      await door.close()
      if (error instanceof ManagedError) throw error
      throw new ManagedError(500, 'internal', `the sandbox of ${spec.id} does not start: ${(error as Error).message}`)
    }
  }

  async #close(slot: Slot): Promise<void> {
    const open = await slot.opening.catch(() => undefined)
    if (open === undefined) return
    await open.cell.close()
    await open.door.close()
  }
}

const failed = (opening: Promise<unknown>): Promise<boolean> =>
  opening.then(
    () => false,
    () => true,
  )

const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`
/** Servers that run inside are reached without the proxy, which refuses loopback. */
const INSIDE = 'localhost,127.0.0.1,::1'
const PROXY: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY_URL,
  HTTPS_PROXY: PROXY_URL,
  http_proxy: PROXY_URL,
  https_proxy: PROXY_URL,
  NO_PROXY: INSIDE,
  no_proxy: INSIDE,
}
