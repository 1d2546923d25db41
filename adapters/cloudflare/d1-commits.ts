import { accountOf } from '../../src/kernel/fair/commit-turns.ts'
import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'

/** A Worker may have six requests open at once; reads need some of them. */
const MOST_RUNNING = 4

interface Waiting {
  readonly commit: EncodedCommit
  /** Number of the commit, in the order of the calls. */
  readonly order: number
  readonly resolve: (keys: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends commits, a few at a time. Accounts take turns. If a commit waits while another one writes a
 * key that it checks, it cannot succeed, so it fails without being sent. So if commits compete for
 * one key, only successful ones cost a request.
 */
export class D1Commits {
  readonly #send: (commit: EncodedCommit) => Promise<boolean>
  /** Waiting commits by account. The first account is next. */
  readonly #lines = new Map<string, Waiting[]>()
  #running = 0
  #orders = 0

  constructor(send: (commit: EncodedCommit) => Promise<boolean>) {
    this.#send = send
  }

  add(commit: EncodedCommit): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const waiting = { commit, order: this.#orders++, resolve, reject }
      const account = accountOf(commit)
      const line = this.#lines.get(account)
      if (line) line.push(waiting)
      else this.#lines.set(account, [waiting])
      this.#next()
    })
  }

  #next(): void {
    while (this.#running < MOST_RUNNING) {
      const [next] = this.#lines
      if (next === undefined) return
      const [account, line] = next
      const first = line.shift()
      // The account's next commit comes after those of all others.
      this.#lines.delete(account)
      if (line.length > 0) this.#lines.set(account, line)
      if (first === undefined) continue
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
    // Expired or deleted entries may be absent again, and then a check for absence holds.
    const keys = new Set(sets.flatMap(({ key, expiresAt }) => (expiresAt === null ? [key] : [])))
    if (keys.size === 0) return
    for (const [account, line] of this.#lines) {
      const left = line.filter(({ commit, order, resolve }) => {
        const hasFailed = order < sent && commit.checks.some(({ key }) => keys.has(key))
        if (hasFailed) resolve(false)
        return !hasFailed
      })
      this.#lines.set(account, left)
    }
  }
}
