import type { Preconditions } from '../../kernel/preconditions.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../records.ts'

/**
 * Commits a change together with `data`, its answer. `false`: a record changed in the meantime, and
 * nothing was written.
 */
export async function commitWithPreconditions(
  records: Records,
  change: Change,
  preconditions: Preconditions | undefined,
  data: object,
): Promise<boolean> {
  await preconditions?.settle(change, data)
  const isWritten = await records.commit(change)
  if (isWritten) preconditions?.settled()
  return isWritten
}
