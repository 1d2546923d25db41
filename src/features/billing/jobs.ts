import type { Statements } from './statements.ts'
import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'

/** The job `statement`: creates the statement of a closed month ahead of the first request for it. */
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
