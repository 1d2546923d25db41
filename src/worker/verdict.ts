import type { Plan } from '../engine/plan/plan.ts'
import type { ProgressRecord, Reason } from '../records/types.ts'
import type { Stop } from './run-options.ts'

const STOP_TEXT: Record<Stop, string> = {
  exhausted: 'Nothing was left to visit',
  page_limit: 'The limit of pages was reached',
  credit_limit: 'The budget of credits was used up',
  daily_cap: 'The credits that the account may spend in a day were used up',
  time_limit: 'The time limit was reached',
  interrupted: 'The worker was stopped',
  gave_way: 'Another account had its turn',
}

/** Why an execution stopped, for the receipt of what it left unvisited and for its own reason. */
export function stopReason(stop: Stop): Reason {
  return { code: stop, message: STOP_TEXT[stop] }
}

/** The final state that the counters call for (design 4.4). */
export function verdict(
  plan: Plan,
  progress: ProgressRecord,
  stop: Stop,
): { status: 'succeeded' | 'failed' | 'timed_out'; reason: Reason | null } {
  const { outcomes, firstError, extracted, rows, filled } = progress
  if (stop === 'time_limit') return { status: 'timed_out', reason: stopReason(stop) }
  if (stop === 'daily_cap' && progress.visited === 0)
    return { status: 'failed', reason: stopReason(stop) }
  if (!outcomes.fetched && !outcomes.unchanged && rows === 0) {
    return {
      status: 'failed',
      reason: {
        code: 'no_page_fetched',
        message: `No page could be fetched. ${firstError ?? 'See the pages for why each was skipped.'}`,
      },
    }
  }
  if (extracted === 0)
    return {
      status: 'failed',
      reason: {
        code: 'nothing_extracted',
        message: 'No page had the label that extract.on names; does a follow rule match?',
      },
    }
  const empty = plan.columns.filter((column) => !filled[column])
  if (rows === 0 || empty.length === plan.columns.length) {
    return {
      status: 'failed',
      reason: {
        code: 'nothing_matched',
        message: `The recipe matched nothing on any page; fields without a value: ${empty.join(', ')}`,
      },
    }
  }
  return { status: 'succeeded', reason: stop === 'exhausted' ? null : stopReason(stop) }
}
