import { busy, conflict } from '../../kernel/errors.ts'
import type { PlatformError } from '../../kernel/errors.ts'
import type { Key } from '../../kernel/key.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import type { Core } from '../core.ts'
import type { AccountsView } from './accounts.ts'
import { newAct } from './act.ts'
import type { AccountStateRecord, ActRecord, OperatorRecords } from './records.ts'

/**
 * The function is called once, before the first deletion, and marks the account as being erased.
 * Each deletion must check the record that it returns. If the record has changed, another call has
 * taken over.
 */
export type BeginErasure = () => Promise<{ readonly key: Key; readonly version: string }>

/** The deleted parts: entries of the store, and files. */
export interface ErasedParts {
  readonly records: number
  readonly blobs: number
}

/** Another call now erases the account, or an operator has made it active again. */
export function overtaken(account: string): PlatformError {
  return busy(`The state of ${account} was changed meanwhile, maybe by another erasure; look again`)
}

/**
 * A started erasure cannot be cancelled, because an account with only a part of its data must not
 * be opened.
 */
export function unfinished(account: string): PlatformError {
  return conflict(
    `${account} is being erased, or its erasure was interrupted: it stays closed. Erase it again, so that ` +
      'nothing is left of it',
  )
}

/** Opens the act that deletes all that is stored of an account. */
export function openErasure(
  core: Core,
  { states, acts }: OperatorRecords,
  {
    accounts,
    upkeep,
  }: {
    readonly accounts: AccountsView
    readonly upkeep: { erase(account: string, begin: BeginErasure): Promise<ErasedParts> }
  },
) {
  const { records } = core

  /**
   * The entry of the log, and the id of this call. An interrupted erasure continues with the same
   * entry, if the same caller gives the same reason.
   */
  const entryOf = async (
    principal: Principal,
    { account, reason, erasing }: Pick<AccountStateRecord, 'account' | 'reason' | 'erasing'>,
  ): Promise<{
    readonly entry: ActRecord
    readonly isLogged: boolean
    readonly eraser: string
  }> => {
    const own = newAct(
      core,
      principal,
      { operation: 'operator.erase', account, subject: null, reason },
      true,
    )
    const earlier = erasing === undefined ? null : await acts.get(SYSTEM, erasing)
    return earlier !== null && isSame(earlier.value, own)
      ? { entry: earlier.value, isLogged: true, eraser: own.id }
      : { entry: own, isLogged: false, eraser: own.id }
  }

  /**
   * Deletes all that is stored of an account. The account must be closed, because then nobody can
   * write for it. The log gets its entry before the first deletion, so that it is true even if the
   * erasure is interrupted. Until all is deleted, the account cannot be opened, and another call
   * continues.
   *
   * @throws {PlatformError} 409 for an account that is not closed by an operator, has runs, or is
   *   being erased by another call; 404 for an account without a record, which cannot be closed
   */
  return async (
    principal: Principal,
    account: string,
    { reason }: { readonly reason: string },
    preconditions: Preconditions,
  ) => {
    const closed = await states.get(SYSTEM, account)
    if (closed?.value.state !== 'closed') {
      await accounts.demand(account)
      throw conflict(`Close the account ${account} first, so that nobody writes for it`)
    }
    const { entry, isLogged, eraser } = await entryOf(principal, { ...closed.value, reason })

    let state = closed
    const { records: deleted, blobs } = await upkeep.erase(account, async () => {
      const change = new Change()
      states.update(change, SYSTEM, closed, { ...closed.value, erasing: entry.id, eraser })
      if (!isLogged) acts.insert(change, SYSTEM, entry)
      // If the answer of the store is lost, the record shows whether it was written.
      const failure = await records.commit(change).then(
        () => null,
        (error: unknown) => error ?? new Error('The store failed'),
      )
      const begun = await states.get(SYSTEM, account)
      if (begun?.value.eraser !== eraser) throw failure ?? overtaken(account)
      state = begun
      return { key: states.key(SYSTEM, [account]), version: begun.version }
    })

    const data = { id: account, records: deleted, blobs }
    const change = new Change()
    const { erasing, eraser: _, ...over } = state.value
    if (erasing !== undefined) states.update(change, SYSTEM, state, over)
    if (state === closed && !isLogged)
      acts.insert(change, SYSTEM, { ...entry, changed: erasing !== undefined })
    if (!(await commitWithPreconditions(records, change, preconditions, data)))
      throw overtaken(account)
    return data
  }
}

function isSame(a: ActRecord, b: ActRecord): boolean {
  return (
    a.reason === b.reason &&
    a.by.account === b.by.account &&
    a.by.user === b.by.user &&
    a.by.key === b.by.key
  )
}
