import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import { callerOf } from '../common/usage.ts'
import type { Core } from '../core.ts'
import type { ActRecord, OperatorRecords } from './records.ts'

/** Facts of an act, before it is done. */
export type ActFacts = Pick<ActRecord, 'operation' | 'account' | 'subject' | 'reason'> &
  Partial<Pick<ActRecord, 'detail'>>

/** The parts of the core that write the log of acts. */
type ActCore = Pick<Core, 'records' | 'clock' | 'ids'>

/** The entry of the log for an act. `changed` is false if the state was already as requested. */
export function newAct(
  { clock, ids }: Pick<ActCore, 'clock' | 'ids'>,
  principal: Principal,
  facts: ActFacts,
  changed: boolean,
): ActRecord {
  return {
    detail: {},
    ...facts,
    id: ids('act'),
    at: clock.now(),
    by: { account: principal.account, ...callerOf(principal) },
    changed,
  }
}

/**
 * Does something for an operator, with its entry in the log of acts. The entry is part of the
 * commit that has the effect, so that both exist or none. If nothing had to be changed, the entry
 * says so.
 *
 * @param work Gets the preconditions that its service has to commit with
 */
export async function withAct<T extends object>(
  core: ActCore,
  { acts }: OperatorRecords,
  principal: Principal,
  facts: ActFacts,
  preconditions: Preconditions,
  work: (preconditions: Preconditions) => Promise<T>,
): Promise<T> {
  let isWritten = false
  const recordOf = (changed: boolean) => newAct(core, principal, facts, changed)
  const result = await work({
    expect: (data) => preconditions.expect(data),
    demanded: (scopes) => preconditions.demanded(scopes),
    async settle(write, data) {
      const record = recordOf(true)
      write.set(acts.key(SYSTEM, [record.id]), record)
      await preconditions.settle(write, data)
    },
    settled() {
      isWritten = true
      preconditions.settled()
    },
  })
  if (!isWritten) {
    const change = new Change()
    acts.insert(change, SYSTEM, recordOf(false))
    // If another attempt was faster, this one writes nothing, because the other has written the
    // entry.
    await commitWithPreconditions(core.records, change, preconditions, result)
  }
  return result
}
