import { Pace } from '../../kernel/pace.ts'
import type { OperatorCount } from './operator-count.ts'

/** Requests that pdf.js answers piece by piece. It awaits `ready` of their sink. */
const STREAMED: ReadonlySet<unknown> = new Set(['GetTextContent', 'GetOperatorList'])
/**
 * Number of waits between two turns, for runtimes such as workerd, whose clock stands still while
 * code runs.
 */
const MOST_STILL = 4

/**
 * Yields to the event loop while pdf.js reads a page. pdf.js awaits its sink before each part that
 * it draws, before each font, every 20 ms, and after each operator once the sink is full. If
 * nothing is sent, all of this happens within one turn: parts without text that draw each other
 * would block the thread until the last of them.
 */
export class PageTurns {
  readonly #count: OperatorCount
  readonly #pace = new Pace({ mostStill: MOST_STILL })

  /** `count` charges each wait. */
  constructor(count: OperatorCount) {
    this.#count = count
  }

  /**
   * Calls the function that registers the handlers of a document, with handlers of this prototype,
   * so that their sinks yield. pdf.js gives no other access to its sinks.
   */
  within(prototype: object, register: () => unknown): unknown {
    const on: unknown = Reflect.get(prototype, 'on')
    if (typeof on !== 'function') throw new Error('This version of pdf.js has no handlers')
    const pacedSink = this.#pacedSink
    Reflect.set(prototype, 'on', function (this: unknown, action: unknown, handle: unknown) {
      const isPaced = typeof handle === 'function' && STREAMED.has(action)
      const paced = (data: unknown, sink: object): unknown =>
        isPaced && Reflect.apply(handle, undefined, [data, pacedSink(sink)])
      Reflect.apply(on, this, [action, isPaced ? paced : handle])
    })
    try {
      return register()
    } finally {
      Reflect.set(prototype, 'on', on)
    }
  }

  /** Makes a sink ready only after the event loop had its turn too. */
  readonly #pacedSink = (sink: object): object => {
    let ready: unknown = Reflect.get(sink, 'ready')
    return Object.defineProperty(sink, 'ready', {
      get: () => this.#wait(ready),
      set: (later: unknown) => (ready = later),
    })
  }

  #wait(ready: unknown): unknown {
    if (!this.#count.payWait()) {
      // The rejection ends each level of drawing. pdf.js may ignore the promise.
      const over = Promise.reject(new Error('The rest of the page is left out'))
      over.catch(() => undefined)
      return over
    }
    const rest = this.#pace.step()
    if (!rest) return ready
    // The promise may reject before it is awaited.
    Promise.resolve(ready).catch(() => undefined)
    return rest.then(() => ready)
  }
}
