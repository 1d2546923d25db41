import { Change } from '../records/change.ts'
import { SYSTEM } from '../records/collection.ts'
import type { Stored } from '../records/collection.ts'
import type { CallRecord } from '../records/crew-records.ts'
import type { AdvanceOptions } from './advance-options.ts'
import { help } from './help.ts'

/** How often calls for help are looked for. */
const LOOK_MS = 1_000
const CALLS = 100

/**
 * Helps with executions that other processes hold, with so many at a time, until the signal aborts;
 * `null` where executions are not shared.
 */
export function createVolunteer(
  options: AdvanceOptions,
  places: number,
): ((signal: AbortSignal) => Promise<void>) | null {
  if (options.share === 1) return null
  const { records, clock, logger } = options

  /** A call of an execution that does not run is nobody's any more: who holds it next calls again. */
  const answer = async (call: Stored<CallRecord>, signal: AbortSignal): Promise<void> => {
    const { account, execution } = call.value
    try {
      if ((await help(options, account, execution, signal)) === 'stays') return
      const change = new Change()
      records.calls.remove(change, SYSTEM, call)
      await records.commit(change)
    } catch (error) {
      logger.warn('A helper had to give up', { execution, error: String(error) })
    }
  }

  return async (signal) => {
    const running = new Map<string, Promise<void>>()
    for (; !signal.aborted; await clock.sleep(LOOK_MS, signal).catch(() => {})) {
      try {
        if (running.size === places) continue
        for (const call of await records.calls.list(SYSTEM, { limit: CALLS })) {
          const { execution } = call.value
          if (running.size < places && !running.has(execution))
            running.set(
              execution,
              answer(call, signal).finally(() => running.delete(execution)),
            )
        }
      } catch (error) {
        logger.warn('Calls for help could not be read; trying again', { error: String(error) })
      }
    }
    await Promise.all(running.values())
  }
}
