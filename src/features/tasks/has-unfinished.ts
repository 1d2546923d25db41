import type { KeyPart } from '../../kernel/key.ts'
import { FEW } from '../../records/paginate.ts'
import type { Records } from '../../records/records.ts'

const UNFINISHED = ['queued', 'running', 'paused'] as const

/**
 * Whether a task has an execution that may still do work. Looks at unfinished executions alone,
 * however many have finished.
 */
export async function hasUnfinished(
  records: Records,
  account: string,
  taskId: string,
): Promise<boolean> {
  for (const status of UNFINISHED) {
    let after: readonly KeyPart[] | undefined
    for (;;) {
      const found = await records.executions.listBy('status', account, {
        within: [status],
        limit: FEW,
        ...(after && { after }),
      })
      if (found.some(({ record }) => record.value.taskId === taskId)) return true
      after = found.at(-1)?.position
      if (after === undefined) break
    }
  }
  return false
}
