import { openOperatorRecords } from '../features/operator/records.ts'
import { SYSTEM } from '../records/collection.ts'
import type { PlatformCore } from './core.ts'

/** This process, in which no worker has run. */
interface IdleProcess extends Pick<PlatformCore, 'store' | 'logger'> {
  /** True if workers of this platform give signs of life, which they do if the operator's API is on. */
  readonly hasSigns: boolean
}

/**
 * Warns that an execution waits, unless a worker of another process gives a sign of life. Returns
 * whether it warned.
 *
 * @throws {StoreFailure} if the signs cannot be read
 */
export async function warnOfIdleQueue(
  { store, logger, hasSigns }: IdleProcess,
  execution: string,
): Promise<boolean> {
  const signs = hasSigns ? await openOperatorRecords(store).workers.list(SYSTEM, { limit: 1 }) : []
  if (signs.length > 0) return false
  logger.warn(
    'An execution has waited for 10 s, and no worker has run in this process. ' +
      'If none runs elsewhere, call worker.run({ signal })',
    { execution },
  )
  return true
}
