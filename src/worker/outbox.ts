import { isStructure } from '../kernel/json.ts'
import type { Clock } from '../ports/clock.ts'
import type { Queue } from '../ports/queue.ts'
import { Change } from '../records/change.ts'
import { SYSTEM } from '../records/collection.ts'
import type { Records } from '../features/records.ts'
import type { OutboxRecord } from '../records/core.ts'

const PAGE = 100

/** Moves jobs that commits have written into the queue. */
export interface Outbox {
  /**
   * Pushes waiting jobs, then deletes them from the outbox. After a crash in between they are
   * pushed again, and the queue keeps one of each.
   */
  drain(): Promise<void>
}

/** Opens the outbox. A change and its job are one commit; the push to the queue follows. */
export function createOutbox(records: Records, queue: Queue, clock: Clock): Outbox {
  let running: Promise<void> | null = null
  let again = false

  const pass = async (): Promise<void> => {
    do {
      again = false
      const waiting = await records.outbox.list(SYSTEM, { limit: PAGE })
      for (const { value } of waiting) {
        await queue.push(
          {
            id: value.id,
            kind: value.kind,
            data: value.data,
            ...(value.lane && { lane: value.lane }),
            ...shareOf(value),
          },
          value.at > clock.now() ? { at: value.at } : {},
        )
        const change = new Change()
        records.outbox.drop(change, SYSTEM, value.id)
        await records.commit(change)
      }
      again ||= waiting.length === PAGE
    } while (again)
  }
  return {
    drain() {
      again = true
      running ??= pass().finally(() => (running = null))
      return running
    },
  }
}

/** The share of a job is its account, so it uses that account's turns in the queue. */
function shareOf({ data }: OutboxRecord): { readonly share?: string } {
  const account = isStructure(data) && 'account' in data ? data.account : undefined
  return typeof account === 'string' ? { share: account } : {}
}
