import { FairGate } from './fair-gate.ts'
import type { Key } from '../key.ts'

/**
 * Number of lists that a process sends to a server at the same time. The server answers in the
 * order of arrival.
 */
const AT_ONCE = 8

/**
 * The turns of accounts at a database server. A server, or a client with few connections, answers
 * in the order of the calls, so a thousand lists of one account would delay all others. Here lists
 * wait before they are sent, and accounts take turns.
 */
export class ListTurns {
  readonly #gate = new FairGate({
    name: 'lists',
    places: AT_ONCE,
    each: AT_ONCE,
    waiting: Infinity,
  })

  /** Sends a list when it is its account's turn. */
  run<T>(prefix: Key, list: () => Promise<T>): Promise<T> {
    return this.#gate.run(String(prefix[0] ?? ''), list)
  }
}
