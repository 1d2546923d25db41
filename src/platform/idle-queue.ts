import { openOperatorRecords } from '../features/operator/records.ts'
import { SYSTEM } from '../records/collection.ts'
import type { PlatformCore } from './core.ts'

/** The process that looks: no worker has run in it. */
interface IdleProcess extends Pick<PlatformCore, 'store' | 'logger'> {
  /** Whether workers of this platform give signs of life: they do it for operators. */
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
