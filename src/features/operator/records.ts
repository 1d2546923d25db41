import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'
import { accountsAfter, hasRecord } from '../../records/verify.ts'

/** A state that operators set for an account. */
export type SetState = 'active' | 'suspended' | 'closed'

/** The caller of an administrative act. */
export interface OperatorCaller {
  /** The account that the operator's credential belongs to. */
  readonly account: string
  readonly user: string
  /** Id of the API key. `null`: the operator used another credential. */
  readonly key: string | null
}

/** The state that an operator has given an account. Absent: active. */
export interface AccountStateRecord {
  readonly account: string
  readonly state: SetState
  readonly reason: string
  /** Unix milliseconds. */
  readonly since: number
  readonly by: OperatorCaller
  /**
   * Id of the act that erases the account. It is set before the first deletion, and removed when
   * all is deleted. Until then the account stays closed.
   */
  readonly erasing?: string
  /** Id of the call that erases it now, because several calls may continue one act. */
  readonly eraser?: string
}

/** One administrative act. Acts are never changed and never expire. */
export interface ActRecord {
  readonly id: string
  /** Unix milliseconds. */
  readonly at: number
  /** The operation, such as `operator.suspend`. */
  readonly operation: string
  /** The account that the act was about. */
  readonly account: string
  /** Id of the subject in that account, such as a run. `null`: the account itself. */
  readonly subject: string | null
  readonly by: OperatorCaller
  readonly reason: string
  /** The values of the request, such as the plan or the credits; never a secret. */
  readonly detail: Readonly<Record<string, string | number | boolean | null>>
  /** False: the state was already as requested, and nothing was changed. */
  readonly changed: boolean
}

/** A job that a worker holds. */
export interface HeldJob {
  readonly id: string
  readonly kind: string
  readonly account: string | null
  readonly execution: string | null
  /** Unix milliseconds. */
  readonly since: number
}

/** The last sign of life of a worker. It expires. */
export interface WorkerRecord {
  readonly id: string
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly aliveAt: number
  /** The jobs that it holds, the oldest first, {@link MOST_HELD} at most. */
  readonly jobs: readonly HeldJob[]
  /** All jobs that it holds. */
  readonly holds: number
}

/** Maximum number of jobs that a sign of life names. */
export const MOST_HELD = 100

/** Records of those who run the service for others. They belong to the platform. */
export interface OperatorRecords {
  readonly states: Collection<AccountStateRecord>
  readonly acts: Collection<ActRecord>
  readonly workers: Collection<WorkerRecord>
  /** Names of accounts that have a record, in order, after a given one. */
  accountsAfter(after: string | null, limit: number): Promise<string[]>
  /** True if an account has a record. An account without one is unknown here. */
  hasRecord(account: string): Promise<boolean>
}

/**
 * Opens the records of operators. They have no indexes, and only processes with the operator's API
 * open them.
 */
export function openOperatorRecords(store: Store): OperatorRecords {
  return {
    states: new Collection<AccountStateRecord>(store, {
      name: 'account-states',
      id: ({ account }) => [account],
    }),
    acts: new Collection<ActRecord>(store, { name: 'operator-acts', id: ({ id }) => [id] }),
    workers: new Collection<WorkerRecord>(store, { name: 'workers', id: ({ id }) => [id] }),
    accountsAfter: (after, limit) => accountsAfter(store, after, limit),
    hasRecord: (account) => hasRecord(store, account),
  }
}
