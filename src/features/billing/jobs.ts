import type { Statements } from './statements.ts'
import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'

/**
 * The job `statement`: makes the statement of a month that was closed, so that nobody waits for it
 * later.
 */
export function billingJobs({
  statements,
}: {
  readonly statements: () => Promise<Pick<Statements, 'close'>>
}): JobHandlers {
  return {
    async statement(data) {
      const month = jobFields(data, 'account', 'period')
      if (month) await (await statements()).close(month.account, month.period)
      return 'done'
    },
  }
}
