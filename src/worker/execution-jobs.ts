import { advance } from './advance.ts'
import type { AdvanceOptions } from './advance-options.ts'
import type { Interrupts } from './interrupts.ts'
import { jobFields } from './job.ts'
import type { JobHandlers } from './job.ts'
import { sweepBlobs } from './sweep-blobs.ts'
import { sweep } from './sweep.ts'

/**
 * The jobs of executions: `execution` advances one, `sweep` deletes what only a running one needs,
 * and what failed commits left behind.
 */
export function executionJobs(
  options: AdvanceOptions & { readonly interrupts: Interrupts },
): JobHandlers {
  return {
    async execution(data, { signal, lost, turn }) {
      const target = jobFields(data, 'account', 'execution')
      if (!target) return 'done'
      const stop = new AbortController()
      const leave = options.interrupts.on(target.execution, () => stop.abort())
      try {
        return await advance(options, target.account, target.execution, {
          signal: AbortSignal.any([signal, stop.signal]),
          lost,
          turn,
        })
      } finally {
        leave()
      }
    },
    async sweep(data, { signal }) {
      const target = jobFields(data, 'account', 'execution')
      if (!target) return 'done'
      await sweep(options.records, target.account, target.execution, signal)
      await sweepBlobs(options.records, options.blobs, target.account, target.execution, signal)
      return 'done'
    },
  }
}
