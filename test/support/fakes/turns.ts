import { setImmediate as macrotask } from 'node:timers/promises'
import type { Store } from '../../../src/ports/store.ts'

/** Lets callers go on one at a time, in an order drawn from `draw` (a number from 0 to below 1). */
export class Turns {
  readonly #draw: () => number
  readonly #waiting: (() => void)[] = []
  readonly #onTurn: () => void

  constructor(draw: () => number, onTurn: () => void = () => {}) {
    this.#draw = draw
    this.#onTurn = onTurn
  }

  take(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve))
  }

  /** Gives turns to the callers until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = work.finally(() => void (isDone = true))
    done.catch(() => undefined)
    for (;;) {
      await macrotask()
      if (isDone) return done
      const [next] = this.#waiting.splice(Math.floor(this.#draw() * this.#waiting.length), 1)
      if (!next) continue
      this.#onTurn()
      next()
    }
  }

  /** A store whose every call waits for its turn. */
  around(store: Store): Store {
    const inTurn =
      <A, R>(call: (args: A) => Promise<R>) =>
      async (args: A): Promise<R> => {
        await this.take()
        return call(args)
      }
    return {
      get: inTurn((keys: Parameters<Store['get']>[0]) => store.get(keys)),
      list: inTurn((range: Parameters<Store['list']>[0]) => store.list(range)),
      commit: inTurn((change: Parameters<Store['commit']>[0]) => store.commit(change)),
      close: () => store.close(),
    }
  }
}
