import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Credential } from './tool-service.ts'

/** A call whose answer is pending. */
export interface WaitingCall {
  readonly credential: Credential
  readonly id: RequestId
  readonly stop: AbortController
}

/**
 * The pending calls of this process, so that a `notifications/cancelled`, which comes in its own
 * POST, finds its call. Without sessions two clients with one credential may use the same id: then
 * neither call is cancelled.
 */
export class InFlight {
  readonly #calls = new Set<WaitingCall>()

  add(call: WaitingCall): void {
    this.#calls.add(call)
  }

  remove(call: WaitingCall): void {
    this.#calls.delete(call)
  }

  /** Cancels the call if exactly one matches. */
  cancel(credential: Credential, id: RequestId): void {
    const [call, ...others] = [...this.#calls].filter(
      (candidate) => candidate.id === id && isSame(candidate.credential, credential),
    )
    if (others.length === 0) call?.stop.abort()
  }
}

function isSame(left: Credential, right: Credential): boolean {
  return (
    left['authorization'] === right['authorization'] && left['x-api-key'] === right['x-api-key']
  )
}
