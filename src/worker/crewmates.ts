/** Which executions this process works on, so that it is not its own helper. */
export class Crewmates {
  readonly #leading = new Set<string>()
  readonly #helping = new Map<string, AbortController>()

  /**
   * The process writes an execution now; where it was a helper, that ends. The answer says that it
   * does no more.
   */
  lead(execution: string): () => void {
    this.#leading.add(execution)
    this.#helping.get(execution)?.abort()
    return () => this.#leading.delete(execution)
  }

  /**
   * The process helps with an execution until `leave`, or until the signal says that it leads it
   * now; `null`: it works on it already.
   */
  help(execution: string): { readonly signal: AbortSignal; leave(): void } | null {
    if (this.#leading.has(execution) || this.#helping.has(execution)) return null
    const stop = new AbortController()
    this.#helping.set(execution, stop)
    return { signal: stop.signal, leave: () => void this.#helping.delete(execution) }
  }
}
