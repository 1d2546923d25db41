import { endOfMonth } from '../common/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Statements } from './statements.ts'
import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'

/** The job `statement` creates the statement of a closed month before anyone requests it. */
export function billingJobs({
  statements,
  clock,
}: {
  readonly statements: () => Promise<Pick<Statements, 'close'>>
  readonly clock: Pick<Clock, 'now'>
}): JobHandlers {
  return {
    async statement(data) {
      const month = jobFields(data, 'account', 'period')
      if (!month) return 'done'
      const end = endOfMonth(month.period)
      if (clock.now() < end) return { again: end }
      await (await statements()).close(month.account, month.period)
      return 'done'
    },
  }
}
