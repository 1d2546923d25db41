import { Outage } from '../../kernel/outage.ts'
import type { HelpWantedRecord } from '../../features/executions/crawl-records.ts'
import type { Stored } from '../../records/collection.ts'
import type { AdvanceOptions } from '../advance-options.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'

/** Interval, in ms, at which requests for helpers are read. */
const CALLS_MS = 1_000
const CALLS = 100

/**
 * Creates the helper loop: until the signal aborts, it helps with up to `most` executions that
 * other processes hold. Returns `null` if executions are not shared.
 */
export function createHelper(
  options: AdvanceOptions,
  most: number,
): ((signal: AbortSignal) => Promise<void>) | null {
  if (options.share === 1) return null
  const { records, clock, logger } = options

  /** Deletes the request of an execution that is not running: its next holder asks again. */
  const answer = async (call: Stored<HelpWantedRecord>, signal: AbortSignal): Promise<void> => {
    const { account, execution } = call.value
    try {
      const { help } = await import('./help.ts')
      if ((await help(options, account, execution, signal)) === 'stays') return
      const change = new Change()
      records.calls.remove(change, SYSTEM, call)
      await records.commit(change)
    } catch (error) {
      logger.warn('A helper stopped early', { execution, error: String(error) })
    }
  }

  return async (signal) => {
    const running = new Map<string, Promise<void>>()
    const outage = new Outage(clock, logger, {
      failing: 'Requests for helpers could not be read',
      over: 'Requests for helpers are read again',
    })
    for (; !signal.aborted; await clock.sleep(CALLS_MS, signal).catch(() => {})) {
      try {
        if (running.size === most) continue
        for (const call of await records.calls.list(SYSTEM, { limit: CALLS })) {
          const { execution } = call.value
          if (running.size < most && !running.has(execution))
            running.set(
              execution,
              answer(call, signal).finally(() => running.delete(execution)),
            )
        }
        outage.worked()
      } catch (error) {
        outage.failed(error)
      }
    }
    outage.ended()
    await Promise.all(running.values())
  }
}
