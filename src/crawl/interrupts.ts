/**
 * Notifies running work in this process, at once, that an execution was cancelled or paused. Other
 * processes notice it at their next commit.
 */
export class Interrupts {
  readonly #listeners = new Map<string, Set<() => void>>()

  /**
   * Calls `listener` when the execution is interrupted. Returns a function that removes the
   * listener.
   */
  on(execution: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(execution) ?? new Set()
    this.#listeners.set(execution, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(execution)
    }
  }

  interrupt(execution: string): void {
    // A listener may remove itself during this loop; a Set allows that.
    for (const listener of this.#listeners.get(execution) ?? []) listener()
  }
}
