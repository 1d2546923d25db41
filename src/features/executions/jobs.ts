import { retires } from './retention.ts'
import { Change } from '../../records/change.ts'
import { jobFields } from '../common/job.ts'
import type { JobHandlers } from '../common/job.ts'
import type { Core } from '../core.ts'
import { DAY_MS } from '../../kernel/time.ts'

/**
 * The jobs that delete. `retire` runs once a day for each account, and deletes executions older
 * than the plan's retention. `execution-erase` erases the data of an execution that its owner has
 * deleted. `rows-erase` does the same if only the rows were deleted.
 */
export function retentionJobs(core: Core): JobHandlers {
  const { records, tariff, clock } = core
  return {
    async retire(data, { signal }) {
      const target = jobFields(data, 'account', 'since')
      const retention = target && (await records.retentions.get(target.account))
      if (!retention || String(retention.value.since) !== target.since) return 'done'
      if (!retires(tariff)) {
        // No plan has a retention limit any more. If one gets a limit again, the next execution
        // restarts the job.
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
      // A job may be delivered twice. It may erase only data that was deleted before.
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
