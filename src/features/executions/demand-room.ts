import { PlatformError } from '../../kernel/errors.ts'
import type { Records } from '../../records/records.ts'

const UNFINISHED = ['queued', 'running', 'paused'] as const

/** Refuses another execution where `most` are unfinished; `null`: any number may be. @throws {PlatformError} 429 `TOO_MANY_REQUESTS` */
export async function demandRoom(records: Records, account: string, most: number | null): Promise<void> {
  if (most === null) return
  let unfinished = 0
  for (const status of UNFINISHED) {
    if (unfinished >= most) break
    unfinished += (await records.executions.listBy('status', account, { within: [status], limit: Math.max(1, most - unfinished) })).length
  }
  if (unfinished >= most) throw new PlatformError('TOO_MANY_REQUESTS', `The account has ${unfinished} unfinished executions, and its plan allows ${most} at the same time`)
}
