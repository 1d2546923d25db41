import { Change } from '../../records/change.ts'
import { retryConflicts } from '../../records/retry.ts'
import { jobFields } from '../../features/common/job.ts'
import type { JobEnds, JobHandlers } from '../../features/common/job.ts'
import type { Core } from '../../features/core.ts'
import type { WebAccess } from '../../features/common/web-access.ts'
import type { RelocationRecord } from '../../features/executions/relocation.ts'
import type { Recipes } from '../../features/recipes/service.ts'
import { addRelocation } from '../../features/tasks/repair.ts'
import type { RelocationProposal } from './propose.ts'

/** Dependencies of the job `relocate`. */
export interface RelocationOptions extends Core, Pick<WebAccess, 'pagesOf'> {
  readonly recipes: Recipes
}

/** Number of consecutive deliveries that may throw before the search is given up. */
const MOST_FAILURES = 5

/**
 * The job `relocate`: looks for the values of drifted columns in the pages that the execution has
 * kept, and stores the proposal with the execution. It stores all of this in one commit, which
 * happens once, however often the job is delivered.
 */
export function relocationJobs(options: RelocationOptions): {
  readonly jobs: JobHandlers
  readonly ends: JobEnds
} {
  return {
    jobs: {
      async relocate(data, { signal }) {
        const target = jobFields(data, 'account', 'execution')
        if (!target) return 'done'
        const { account, execution: id } = target
        const stored = await options.records.executions.get(account, id)
        if (!stored || stored.value.relocation !== undefined) return 'done'
        const { findRelocation } = await import('./find-relocation.ts')
        await store(
          options,
          account,
          id,
          await findRelocation(options, account, stored.value, signal),
        )
        return 'done'
      },
    },
    ends: {
      relocate: {
        mostFailures: MOST_FAILURES,
        async end(data, reason) {
          const target = jobFields(data, 'account', 'execution')
          if (target)
            await store(options, target.account, target.execution, {
              status: 'none',
              reason,
              items: null,
              fields: [],
            })
          return 'done'
        },
      },
    },
  }
}

async function store(
  options: RelocationOptions,
  account: string,
  id: string,
  proposal: RelocationProposal,
): Promise<void> {
  const { records, clock, recipes } = options
  const relocation: RelocationRecord = { ...proposal, at: clock.now() }
  const isStored = await retryConflicts(async () => {
    const execution = await records.executions.get(account, id)
    if (!execution || execution.value.relocation !== undefined) return true
    const change = new Change()
    await addRelocation({ records, recipes }, change, account, execution, relocation)
    return records.commit(change)
  })
  if (!isStored) throw new Error('The execution or its task is being changed by others')
}
