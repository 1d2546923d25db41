import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Credential } from './tool-service.ts'

/**
 * The end of a call: its client leaves or cancels it. Waiting calls register a function, because a
 * listener of the signal would cost more than all other work of the wait.
 */
export class CallStop extends AbortController {
  /** Those who wait. */
  readonly waiting = new Set<() => void>()

  override abort(reason?: unknown): void {
    super.abort(reason)
    for (const tell of this.waiting) tell()
    this.waiting.clear()
  }
}

/** Ends a call also when a signal aborts. */
export function stopWith(signal: AbortSignal): CallStop {
  const stop = new CallStop()
  if (signal.aborted) stop.abort()
  else signal.addEventListener('abort', () => stop.abort(), { once: true })
  return stop
}

/** A call whose answer is pending. */
export interface WaitingCall {
  readonly credential: Credential
  readonly id: RequestId
  readonly stop: CallStop
}

/**
 * The pending calls of this process, so that a `notifications/cancelled`, which comes in its own
 * POST, finds its call. Without sessions two clients with one credential may use the same id. Then
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
