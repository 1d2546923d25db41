import { PlatformError } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Clock } from '../../ports/clock.ts'
import { progressOf } from './run-progress.ts'
import type { ToolProgress } from './run-progress.ts'
import type { Execution } from './run-view.ts'

/** How long to wait for whom. */
export interface Wait {
  readonly seconds: number
  /** Ends the waiting, as when the caller has gone. */
  readonly signal: AbortSignal
  /**
   * Told how the run stands: at once, then whenever more of it is done. `progress` grows from each
   * time to the next.
   */
  readonly report?: (progress: ToolProgress) => void
}

/** Tells of an execution after each change, until it has ended or the signal aborts. */
export interface Follows {
  observe(
    principal: Principal,
    id: string,
    input: { readonly signal: AbortSignal; readonly seen: (execution: Execution) => void },
  ): Promise<void>
}

/**
 * Resolves when an execution has ended, or the time is over, or nobody wants to know any more; at
 * once where the account has as many streams as it may.
 */
export async function waitForRun(
  live: Follows,
  clock: Clock,
  principal: Principal,
  execution: string,
  { seconds, signal, report }: Wait,
): Promise<void> {
  if (seconds <= 0 || signal.aborted) return
  const stop = new AbortController()
  clock.sleep(seconds * 1_000, stop.signal).then(
    () => stop.abort(),
    () => {},
  )
  let told = -1
  try {
    await live.observe(principal, execution, {
      signal: AbortSignal.any([signal, stop.signal]),
      seen(now) {
        const progress = progressOf(now)
        if (progress.progress <= told) return
        told = progress.progress
        report?.(progress)
      },
    })
  } catch (error) {
    // The run has begun: it is told as it stands, which is better than a refusal that would begin
    // it twice.
    if (!(error instanceof PlatformError && error.code === 'TOO_MANY_REQUESTS')) throw error
  } finally {
    stop.abort()
  }
}
