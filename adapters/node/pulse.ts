/** The longest interval that timers have. It is never met. */
const FOREVER = 2 ** 31 - 1

/**
 * Keeps the process alive while somebody waits for something that does not do so by itself, such as
 * a thread.
 */
export class Pulse {
  #waiting = 0
  #timer: ReturnType<typeof setInterval> | undefined

  async during<T>(result: Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) this.#timer = setInterval(() => {}, FOREVER)
    try {
      return await result
    } finally {
      if (--this.#waiting === 0) clearInterval(this.#timer)
    }
  }
}
