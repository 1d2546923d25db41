import { FairGate } from './fair-gate.ts'
import type { Key } from '../key.ts'

/**
 * Lists of one process that a server works on at the same time. What waits for it there waits in
 * the order of coming.
 */
const AT_ONCE = 8

/**
 * The turns of accounts at a server that keeps records. A server, and a client with few
 * connections, answers in the order of the calls, so a thousand lists of one account would hold up
 * all others. Here they wait before they are sent, and accounts take turns.
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
