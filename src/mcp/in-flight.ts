import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Credential } from './tool-service.ts'

/** A call that is waited for. */
export interface WaitingCall {
  readonly credential: Credential
  readonly id: RequestId
  readonly stop: AbortController
}

/**
 * The calls that this process is waiting for, so that a `notifications/cancelled`, which comes in a
 * POST of its own, finds its call. Without sessions two clients with one credential may use the
 * same id: then neither is cancelled.
 */
export class InFlight {
  readonly #calls = new Set<WaitingCall>()

  add(call: WaitingCall): void {
    this.#calls.add(call)
  }

  remove(call: WaitingCall): void {
    this.#calls.delete(call)
  }

  /** Cancels the call, if there is no doubt which. */
  cancel(credential: Credential, id: RequestId): void {
    const [call, ...others] = [...this.#calls].filter(
      (one) => one.id === id && isSame(one.credential, credential),
    )
    if (others.length === 0) call?.stop.abort()
  }
}

function isSame(one: Credential, other: Credential): boolean {
  return one['authorization'] === other['authorization'] && one['x-api-key'] === other['x-api-key']
}
