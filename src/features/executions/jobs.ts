import { retires } from './retention.ts'
import { Change } from '../../records/change.ts'
import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'
import type { Core } from '../core.ts'
import { DAY_MS } from '../../kernel/time.ts'

/**
 * The jobs that delete. `retire`: once a day, for each account, it deletes executions that are
 * older than its plan keeps them. `execution-erase`: it erases what an execution that its owner has
 * deleted has left. `rows-erase`: the same for rows that were deleted alone.
 */
export function retentionJobs(core: Core): JobHandlers {
  const { records, tariff, clock } = core
  return {
    async retire(data, { signal }) {
      const target = jobFields(data, 'account', 'since')
      const retention = target && (await records.retentions.get(target.account))
      if (!retention || String(retention.value.since) !== target.since) return 'done'
      if (!retires(tariff)) {
        // No plan limits retention any more. If one does again, the next execution restarts the
        // job.
        const change = new Change()
        records.retentions.remove(change, target.account, retention)
        return (await records.commit(change)) ? 'done' : { again: clock.now() + DAY_MS }
      }
      // Loaded on demand: most applications do not need it.
      const { retireExecutions } = await import('./retire.ts')
      await retireExecutions(core, target.account, clock.now(), signal)
      return { again: clock.now() + DAY_MS }
    },
    async 'execution-erase'(data, { signal }) {
      const target = jobFields(data, 'account', 'execution')
      // A job may be delivered twice, and only what was deleted may be erased.
      if (target && (await records.retired.get(target.account, target.execution))) {
        const { eraseExecution } = await import('./retire.ts')
        await eraseExecution(core, target.account, target.execution, signal)
      }
      return 'done'
    },
    async 'rows-erase'(data, { signal }) {
      const target = jobFields(data, 'account', 'execution')
      if (!target) return 'done'
      const { eraseRows } = await import('./retire.ts')
      const again = await eraseRows(core, target.account, target.execution, clock.now(), signal)
      return again === null ? 'done' : { again }
    },
  }
}
