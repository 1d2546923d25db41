import { PlatformError } from '../../kernel/errors.ts'
import type { Records } from '../../records/records.ts'

/**
 * Paused ones become queued when they are resumed: those that did so while this looked are found at
 * the second look.
 */
const LOOKS = ['queued', 'running', 'paused', 'queued'] as const

/**
 * Refuses another execution where `most` are unfinished; `null`: any number may be.
 *
 * @throws {PlatformError} 429 `TOO_MANY_REQUESTS`
 */
export async function demandRoom(
  records: Records,
  account: string,
  most: number | null,
): Promise<void> {
  if (most === null) return
  const unfinished = new Set<string>()
  for (const status of LOOKS) {
    if (unfinished.size >= most) break
    for (const id of await records.executions.listIds('status', account, {
      within: [status],
      limit: most,
    }))
      unfinished.add(id.join())
  }
  if (unfinished.size >= most)
    throw new PlatformError(
      'TOO_MANY_REQUESTS',
      `The account has ${unfinished.size} unfinished executions, and its plan allows ${most} at the same time`,
    )
}
