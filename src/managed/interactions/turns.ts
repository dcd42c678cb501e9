/** Who may work in an environment: one at a time, in the order in which they came. */

export class Turns {
  readonly #tails = new Map<string, Promise<void>>()

  /** Whether one would have to wait. */
  isBusy(key: string): boolean {
    return this.#tails.has(key)
  }

  /**
   * Waits until it is this one's turn; the answer ends the turn. Rejects with the signal's reason where that fires first:
   * the place in the queue is then given up.
   */
  async enter(key: string, signal: AbortSignal): Promise<() => void> {
    const before = this.#tails.get(key) ?? Promise.resolve()
    let leave: () => void = () => {}
    const mine = new Promise<void>((resolve) => {
      leave = resolve
    })
    const tail = before.then(() => mine)
    this.#tails.set(key, tail)
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
    let stop: () => void = () => {}
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
    try {
      await Promise.race([before, aborted])
      return leave
    } catch (error) {
      leave()
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
}
