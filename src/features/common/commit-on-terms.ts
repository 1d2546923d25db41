import type { Preconditions } from '../../kernel/preconditions.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../records.ts'

/**
 * Commits an effect together with `data`, the answer to it. `false`: something had changed
 * meanwhile and nothing was written.
 */
export async function commitWithPreconditions(
  records: Records,
  change: Change,
  preconditions: Preconditions | undefined,
  data: object,
): Promise<boolean> {
  await preconditions?.settle(change, data)
  const written = await records.commit(change)
  if (written) preconditions?.settled()
  return written
}
