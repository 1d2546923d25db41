import { Pace } from '../../kernel/pace.ts'
import type { OperatorCount } from './operator-count.ts'

/** Requests that pdf.js answers piece by piece, with a sink whose `ready` it awaits. */
const STREAMED: ReadonlySet<unknown> = new Set(['GetTextContent', 'GetOperatorList'])
/**
 * Number of waits after which there is a turn, for runtimes such as workerd, whose clock stands
 * still while code runs.
 */
const MOST_STILL = 4

/**
 * The turns of the event loop in which pdf.js reads a page. It awaits its sink before each part
 * that it draws, each font and each 20 ms, and after each operator once the sink is full. All this
 * is within one turn as long as nothing is sent: parts without text that draw each other would hold
 * the thread until the last of them.
 */
export class PageTurns {
  readonly #count: OperatorCount
  readonly #pace = new Pace({ mostStill: MOST_STILL })

  /** `count` pays for each wait. */
  constructor(count: OperatorCount) {
    this.#count = count
  }

  /**
   * Calls the function that registers the handlers of a document, with handlers of this prototype,
   * so that their sinks yield turns. pdf.js gives no other access to its sinks.
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

  /** Makes a sink ready once the event loop had its turn, too. */
  readonly #pacedSink = (sink: object): object => {
    let ready: unknown = Reflect.get(sink, 'ready')
    return Object.defineProperty(sink, 'ready', {
      get: () => this.#wait(ready),
      set: (later: unknown) => (ready = later),
    })
  }

  #wait(ready: unknown): unknown {
    if (!this.#count.payWait()) {
      // The rejection ends each level of drawing. pdf.js may drop the promise.
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
