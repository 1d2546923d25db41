import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Credential } from './credential.ts'

/**
 * The calls that this process is waiting for, so that a `notifications/cancelled`, which comes in a POST of its own, finds its call. Without sessions
 * two clients with one credential may use the same id: then neither is cancelled.
 */
export class InFlight {
  readonly #calls = new Map<string, Set<AbortController>>()

  /** Adds a call; gives what takes it away again. */
  add(credential: Credential, id: RequestId, call: AbortController): () => void {
    const name = nameOf(credential, id)
    const named = this.#calls.get(name) ?? new Set()
    this.#calls.set(name, named.add(call))
    return () => {
      named.delete(call)
      if (named.size === 0 && this.#calls.get(name) === named) this.#calls.delete(name)
    }
  }

  /** Cancels the call, if there is no doubt which. */
  cancel(credential: Credential, id: RequestId): void {
    const named = this.#calls.get(nameOf(credential, id))
    if (named?.size === 1) for (const call of named) call.abort()
  }
}

function nameOf(credential: Credential, id: RequestId): string {
  return JSON.stringify([credential['authorization'], credential['x-api-key'], id])
}
