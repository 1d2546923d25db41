// Made from the route table: do not edit. After a change of routes or schemas: npm run client
import type { Download } from './download.ts'
import type {
  accountDetailSchema,
  accountStateSchema,
  accountSummarySchema,
  administrativeActSchema,
  erasedAccountSchema,
  operatorHealthSchema,
  operatorRunSchema,
  operatorWorkersSchema,
  stuckRunSchema,
} from '../features/operator/answers.ts'
import type {
  accountsQuerySchema,
  operatorAdjustmentSchema,
  operatorKeyInputSchema,
  operatorKeysQuerySchema,
  operatorLogQuerySchema,
  operatorPlanSchema,
  operatorReasonSchema,
  operatorRevokeSchema,
  operatorRunsQuerySchema,
  operatorStuckQuerySchema,
  operatorUsageQuerySchema,
  operatorVerifyQuerySchema,
} from '../features/operator/schema.ts'
import type { Asked, ListPage, Received, Sent } from './from-schema.ts'
import type { CallOptions } from './options.ts'
import type {
  BillingUsage,
  CreatedKey,
  Entry,
  Execution,
  Key,
  RevokedKey,
  Subscription,
} from './types.ts'

/** Given by `operator.account`. */
export type AccountDetail = Received<typeof accountDetailSchema>

/** Given by `operator.suspend`, `operator.resume`, `operator.close`. */
export type AccountState = Received<typeof accountStateSchema>

/** Given by `operator.accounts`. */
export type AccountSummary = Received<typeof accountSummarySchema>

/** Query of `operator.accounts`. */
export type AccountsQuery = Asked<typeof accountsQuerySchema>

/** Given by `operator.log`. */
export type AdministrativeAct = Received<typeof administrativeActSchema>

/** Given by `operator.erase`. */
export type ErasedAccount = Received<typeof erasedAccountSchema>

/** Body of `operator.adjust`. */
export type OperatorAdjustment = Sent<typeof operatorAdjustmentSchema>

/** Given by `operator.health`. */
export type OperatorHealth = Received<typeof operatorHealthSchema>

/** Body of `operator.createKey`. */
export type OperatorKeyInput = Sent<typeof operatorKeyInputSchema>

/** Query of `operator.keys`. */
export type OperatorKeysQuery = Asked<typeof operatorKeysQuerySchema>

/** Query of `operator.log`. */
export type OperatorLogQuery = Asked<typeof operatorLogQuerySchema>

/** Body of `operator.setPlan`. */
export type OperatorPlan = Sent<typeof operatorPlanSchema>

/**
 * Body of `operator.suspend`, `operator.resume`, `operator.close`, `operator.erase`,
 * `operator.release`, `operator.cancel`.
 */
export type OperatorReason = Sent<typeof operatorReasonSchema>

/** Body of `operator.revokeKey`. */
export type OperatorRevoke = Sent<typeof operatorRevokeSchema>

/** Given by `operator.runs`. */
export type OperatorRun = Received<typeof operatorRunSchema>

/** Query of `operator.runs`. */
export type OperatorRunsQuery = Asked<typeof operatorRunsQuerySchema>

/** Query of `operator.stuck`. */
export type OperatorStuckQuery = Asked<typeof operatorStuckQuerySchema>

/** Query of `operator.usage`. */
export type OperatorUsageQuery = Asked<typeof operatorUsageQuerySchema>

/** Query of `operator.verify`. */
export type OperatorVerifyQuery = Asked<typeof operatorVerifyQuerySchema>

/** Given by `operator.workers`. */
export type OperatorWorkers = Received<typeof operatorWorkersSchema>

/** Given by `operator.stuck`. */
export type StuckRun = Received<typeof stuckRunSchema>

/** Operations of `operator`. */
export interface OperatorResource {
  /** Lists the accounts that have a record, by name. */
  accounts(query?: AccountsQuery, options?: CallOptions): Promise<ListPage<AccountSummary>>
  /** Lists the accounts that have a record, by name: all of them, page after page. */
  iterateAccounts(
    query?: AccountsQuery,
    options?: CallOptions,
  ): AsyncGenerator<AccountSummary, void, undefined>
  /** Reads an account: state, plan, credits, and counts. */
  account(id: string, options?: CallOptions): Promise<AccountDetail>
  /** Suspends an account. */
  suspend(id: string, body: OperatorReason, options?: CallOptions): Promise<AccountState>
  /** Makes a suspended or closed account active again. */
  resume(id: string, body: OperatorReason, options?: CallOptions): Promise<AccountState>
  /** Closes an account. */
  close(id: string, body: OperatorReason, options?: CallOptions): Promise<AccountState>
  /** Deletes all that is stored of a closed account. */
  erase(id: string, body: OperatorReason, options?: CallOptions): Promise<ErasedAccount>
  /** Changes an account's plan. */
  setPlan(id: string, body: OperatorPlan, options?: CallOptions): Promise<Subscription>
  /** Gives credits to an account, or takes credits. */
  adjust(id: string, body: OperatorAdjustment, options?: CallOptions): Promise<Entry>
  /** Reads an account's usage of a month. */
  usage(id: string, query?: OperatorUsageQuery, options?: CallOptions): Promise<BillingUsage>
  /** Lists an account's API keys, newest first. */
  keys(id: string, query?: OperatorKeysQuery, options?: CallOptions): Promise<ListPage<Key>>
  /** Lists an account's API keys, newest first: all of them, page after page. */
  iterateKeys(
    id: string,
    query?: OperatorKeysQuery,
    options?: CallOptions,
  ): AsyncGenerator<Key, void, undefined>
  /** Creates an API key of an account; its secret is shown once. */
  createKey(id: string, body: OperatorKeyInput, options?: CallOptions): Promise<CreatedKey>
  /** Revokes an API key of an account. */
  revokeKey(
    id: string,
    key: string,
    body: OperatorRevoke,
    options?: CallOptions,
  ): Promise<RevokedKey>
  /** Lists the runs of all accounts, by account, newest first. */
  runs(query?: OperatorRunsQuery, options?: CallOptions): Promise<ListPage<OperatorRun>>
  /** Lists the runs of all accounts, by account, newest first: all of them, page after page. */
  iterateRuns(
    query?: OperatorRunsQuery,
    options?: CallOptions,
  ): AsyncGenerator<OperatorRun, void, undefined>
  /** Lists the unfinished runs that do not move, with the reason. */
  stuck(query?: OperatorStuckQuery, options?: CallOptions): Promise<ListPage<StuckRun>>
  /** Lists the unfinished runs that do not move, with the reason: all of them, page after page. */
  iterateStuck(
    query?: OperatorStuckQuery,
    options?: CallOptions,
  ): AsyncGenerator<StuckRun, void, undefined>
  /** Queues an unfinished run again. */
  release(id: string, run: string, body: OperatorReason, options?: CallOptions): Promise<Execution>
  /** Cancels a run of an account. */
  cancel(id: string, run: string, body: OperatorReason, options?: CallOptions): Promise<Execution>
  /** Lists the workers with their last sign of life and what each holds. */
  workers(options?: CallOptions): Promise<OperatorWorkers>
  /** Reads the state of the platform: store, blobs, queue, workers, version. */
  health(options?: CallOptions): Promise<OperatorHealth>
  /** Recomputes indexes, balances and counters, and reports differences. */
  verify(query?: OperatorVerifyQuery, options?: CallOptions): Promise<Download>
  /** Lists the administrative acts, newest first. */
  log(query?: OperatorLogQuery, options?: CallOptions): Promise<ListPage<AdministrativeAct>>
  /** Lists the administrative acts, newest first: all of them, page after page. */
  iterateLog(
    query?: OperatorLogQuery,
    options?: CallOptions,
  ): AsyncGenerator<AdministrativeAct, void, undefined>
}
