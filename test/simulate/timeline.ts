import { setImmediate as realImmediate } from 'node:timers'
import type { Clock } from '../../src/ports/clock.ts'

/** The number of callbacks that are asked for at once. */
const TURNS_AT_ONCE = 64

const MOST_TRIES = 1_000

interface Sleeper {
  readonly at: number
  readonly order: number
  readonly wake: () => void
}

/**
 * All time of a world. No two tasks run at once: they run one after the other in the order of their
 * requests, and when no task is left, time jumps to the next sleeper. So everything depends only on
 * the code and its seed.
 */
export class Timeline implements Clock {
  #now: number
  #order = 0
  readonly #heap: Sleeper[] = []
  readonly #tasks: (() => void)[] = []

  /** `start`: Unix milliseconds. */
  constructor(start: number) {
    this.#now = start
  }

  now = (): number => this.#now

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      let isOver = false
      const onAbort = (): void => {
        isOver = true
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#push({
        at: this.#now + Math.max(ms, 0),
        order: this.#order++,
        wake: () => {
          if (isOver) return
          signal?.removeEventListener('abort', onAbort)
          resolve()
        },
      })
    })

  /** Work that a runtime would do in a later turn of its event loop. */
  addTask(task: () => void): void {
    this.#tasks.push(task)
  }

  /** Lets time pass until `isOver` is true at rest, at most up to `end`; false if it never was. */
  async runUntil(isOver: () => boolean, end: number): Promise<boolean> {
    for (;;) {
      await this.#rest()
      if (isOver()) return true
      const next = this.#heap[0]
      if (!next || next.at > end) {
        this.#now = Math.max(this.#now, end)
        return false
      }
      this.#pop()
      this.#now = Math.max(this.#now, next.at)
      next.wake()
    }
  }

  /** The outcome of work that needs no time; no sleeper wakes meanwhile. */
  async settleNow<T>(promise: Promise<T>): Promise<T> {
    const state = { isSettled: false }
    const settled = promise.finally(() => {
      state.isSettled = true
    })
    settled.catch(() => undefined)
    for (let tries = 0; !state.isSettled; tries++) {
      if (tries > MOST_TRIES) throw new Error('Something that needs no time does not settle')
      await this.#rest()
    }
    return settled
  }

  /** Runs all work that needs no time. */
  async #rest(): Promise<void> {
    for (;;) {
      await nextTurn()
      const task = this.#tasks.shift()
      if (!task) return
      task()
    }
  }

  #isBefore(a: Sleeper | undefined, b: Sleeper | undefined): boolean {
    if (!a || !b) return false
    return a.at < b.at || (a.at === b.at && a.order < b.order)
  }

  #push(sleeper: Sleeper): void {
    const heap = this.#heap
    let index = heap.push(sleeper) - 1
    for (let up = (index - 1) >> 1; index > 0 && this.#isBefore(heap[index], heap[up]);) {
      this.#swap(index, up)
      index = up
      up = (index - 1) >> 1
    }
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    heap[0] = last
    for (let index = 0; ;) {
      const [left, right] = [2 * index + 1, 2 * index + 2]
      const down = this.#isBefore(heap[right], heap[left]) ? right : left
      if (!this.#isBefore(heap[down], heap[index])) return
      this.#swap(index, down)
      index = down
    }
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    if (!one || !other) return
    this.#heap[a] = other
    this.#heap[b] = one
  }
}

let prepared = 0
let waiting: (() => void) | null = null

/**
 * Resolves once all work of promises has been done that needs no further turn. Node does that work
 * between two callbacks of `setImmediate` too, so many callbacks in one turn of its event loop are
 * as good as many turns, and take a fraction of the time. One caller may wait at a time.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting) throw new Error('Another caller waits for the next turn')
    waiting = resolve
    if (prepared > 0) return
    while (prepared < TURNS_AT_ONCE) {
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
