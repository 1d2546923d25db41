/**
 * Tells running work in this process, at once, that an execution was cancelled or paused. Others
 * learn it at their next commit.
 */
export class Interrupts {
  readonly #listeners = new Map<string, Set<() => void>>()

  /** Calls `listener` when the execution is interrupted; the answer takes the listener away. */
  on(execution: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(execution) ?? new Set()
    this.#listeners.set(execution, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(execution)
    }
  }

  interrupt(execution: string): void {
    // A listener may leave while the others are told; a Set allows that.
    for (const listener of this.#listeners.get(execution) ?? []) listener()
  }
}
