import { setImmediate as realImmediate } from 'node:timers'

/** The number of callbacks that are asked for at once. */
const AT_ONCE = 64

let prepared = 0
let waiting: (() => void) | null = null

/**
 * Resolves once all work of promises has been done that needs no further turn. Node does that work
 * between two callbacks of `setImmediate` too, so many callbacks in one turn of its event loop are
 * as good as many turns, and take a fraction of the time. One caller may wait at a time.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting) throw new Error('Another caller waits for the next turn')
    waiting = resolve
    if (prepared > 0) return
    while (prepared < AT_ONCE) {
      realImmediate(turn)
      prepared++
    }
  })
}

function turn(): void {
  prepared--
  const resolve = waiting
  waiting = null
  resolve?.()
}
