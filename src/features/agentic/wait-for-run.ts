import type { Principal } from '../../kernel/route.ts'
import type { Clock } from '../../ports/clock.ts'

/** Follows an execution: a stream that ends with it. */
export interface Follows {
  open(principal: Principal, id: string, input: { readonly from: null; readonly pages: boolean; readonly signal: AbortSignal }): Promise<ReadableStream<Uint8Array>>
}

/** How long to wait for whom. */
export interface Wait {
  readonly seconds: number
  /** Ends the waiting, as when the caller has gone. */
  readonly signal: AbortSignal
}

/** Resolves when an execution has ended, or the time is over, or nobody wants to know any more. */
export async function waitForRun(live: Follows, clock: Clock, principal: Principal, execution: string, { seconds, signal }: Wait): Promise<void> {
  if (seconds <= 0 || signal.aborted) return
  const stop = new AbortController()
  clock.sleep(seconds * 1_000, stop.signal).then(() => stop.abort(), () => {})
  try {
    const events = (await live.open(principal, execution, { from: null, pages: false, signal: AbortSignal.any([signal, stop.signal]) })).getReader()
    // The stream ends with the execution.
    while (!(await events.read()).done);
  } finally {
    stop.abort()
  }
}
