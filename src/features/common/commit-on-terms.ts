import type { Terms } from '../../kernel/preconditions.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../records.ts'

/**
 * Commits an effect together with `data`, the answer to it. `false`: something had changed
 * meanwhile and nothing was written.
 */
export async function commitOnTerms(
  records: Records,
  change: Change,
  terms: Terms | undefined,
  data: object,
): Promise<boolean> {
  await terms?.settle(change, data)
  const written = await records.commit(change)
  if (written) terms?.settled()
  return written
}
