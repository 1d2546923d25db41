import { FairGate } from './fair-gate.ts'
import type { Key } from '../key.ts'

/**
 * Number of lists that a process sends to a server at the same time. The server answers in the
 * order of arrival.
 */
const LISTS = 8
/** The same for commits, each of which is much shorter. */
const COMMITS = 32

/**
 * The turns of accounts at a database server. A server, or a client with few connections, answers
 * in the order of the calls, so a thousand calls of one account would delay all others. Here calls
 * wait before they are sent, and accounts take turns.
 */
export class ServerTurns {
  readonly #lists = gate('lists', LISTS)
  readonly #commits = gate('commits', COMMITS)

  /** Sends a list when it is its account's turn. */
  list<T>(prefix: Key, list: () => Promise<T>): Promise<T> {
    return this.#lists.run(String(prefix[0] ?? ''), list)
  }

  /** Sends a commit when it is its account's turn. */
  commit<T>(account: string, commit: () => Promise<T>): Promise<T> {
    return this.#commits.run(account, commit)
  }
}

function gate(name: string, places: number): FairGate {
  return new FairGate({ name, places, each: places, waiting: Infinity })
}
