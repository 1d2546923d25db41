import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'

/** Requests that a Worker may have under way at once are six; reads need some of them. */
const MOST_RUNNING = 4

interface Waiting {
  readonly commit: EncodedCommit
  /** Counts on with each commit that is asked for. */
  readonly order: number
  readonly resolve: (written: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends commits, a few at a time. One that was asked for before another was sent cannot know what
 * that one has written: where it checks such a key it has failed, and need not be sent. So a crowd
 * that contends for one key costs a request for each that wins, not for each try.
 */
export class D1Commits {
  readonly #send: (commit: EncodedCommit) => Promise<boolean>
  #waiting: Waiting[] = []
  #running = 0
  #orders = 0

  constructor(send: (commit: EncodedCommit) => Promise<boolean>) {
    this.#send = send
  }

  add(commit: EncodedCommit): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, order: this.#orders++, resolve, reject })
      this.#next()
    })
  }

  #next(): void {
    while (this.#running < MOST_RUNNING) {
      const first = this.#waiting.shift()
      if (!first) return
      this.#running++
      void this.#run(first)
    }
  }

  async #run({ commit, resolve, reject }: Waiting): Promise<void> {
    const sent = this.#orders
    try {
      const isWritten = await this.#send(commit)
      if (isWritten) this.#refuse(commit, sent)
      resolve(isWritten)
    } catch (error) {
      reject(error)
    } finally {
      this.#running--
      this.#next()
    }
  }

  #refuse({ sets }: EncodedCommit, sent: number): void {
    // What expires may be gone again, as is what was deleted: then a check for absence holds.
    const written = new Set(sets.flatMap(({ key, expiresAt }) => (expiresAt === null ? [key] : [])))
    if (written.size === 0) return
    this.#waiting = this.#waiting.filter(({ commit, order, resolve }) => {
      const hasFailed = order < sent && commit.checks.some(({ key }) => written.has(key))
      if (hasFailed) resolve(false)
      return !hasFailed
    })
  }
}
