import { conflict } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import type { QueueBacklog } from '../../ports/queue.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import { retryOrBusy } from '../../records/retry.ts'
import type { Billing } from '../billing/service.ts'
import { standingOf } from '../common/account-status.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import { listRecords } from '../common/list-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import type { ListQuery } from '../common/list-page.ts'
import { isoTime } from '../common/time.ts'
import { byId } from '../common/timed-records.ts'
import { callerOf } from '../common/usage.ts'
import type { Core } from '../core.ts'
import type { Executions } from '../executions/service.ts'
import type { Keys } from '../keys/service.ts'
import { openAccounts, setOf } from './accounts.ts'
import type { AccountsQuery } from './accounts.ts'
import { withAct } from './act.ts'
import type { ActFacts } from './act.ts'
import type { AdministrativeAct, OperatorHealth, OperatorWorker } from './answers.ts'
import type { ActRecord, OperatorRecords, SetState, WorkerRecord } from './records.ts'
import { unfinished } from './erasure.ts'
import { openRuns } from './runs.ts'
import { openUpkeep } from './upkeep.ts'
import type { OperatorUpkeep } from './upkeep.ts'
import type { OperatorRunsQuery } from './runs.ts'

/** The state of a platform's parts, which the platform determines. */
export interface PartsHealth extends Pick<OperatorHealth, 'ok' | 'store' | 'blobs' | 'worker'> {
  readonly queue: readonly QueueBacklog[] | null
}

/** Options of the operator's service, beside the core. */
export interface OperatorOptions {
  readonly operatorRecords: OperatorRecords
  readonly executions: Pick<Executions, 'cancel' | 'get' | 'release'>
  readonly keys: Keys
  readonly billing: Billing
  readonly health: () => Promise<PartsHealth>
  readonly upkeep: OperatorUpkeep
  /** True if jobs are on the store, where this process can read them. */
  readonly readsJobs: boolean
  /** Version of Seine. */
  readonly version: string
}

/** Filters of the log of acts. All conditions must hold. */
export interface ActsQuery extends CreatedQuery {
  readonly account?: string
  readonly operation?: string
}

/** A key to make for an account. */
interface OperatorKeyInput {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt?: string
  /** Default: the account's name. */
  readonly user?: string
  readonly reason: string
}

/** Credits to give or to take. */
interface AdjustmentInput {
  /** Default: a new one. */
  readonly id?: string
  readonly credits: number
  readonly expiresAt?: string
  readonly reason: string
}

/** Workers that are listed. */
const MOST_WORKERS = 1_000

/** The service of those who run the platform for others. Each write is in the log of acts. */
export function createOperator(core: Core, options: OperatorOptions) {
  const { records, ids, clock } = core
  const { operatorRecords, executions, keys, billing, health } = options
  const { states, acts, workers } = operatorRecords
  const accounts = openAccounts(core, operatorRecords, billing)
  const liveWorkers = async (): Promise<readonly WorkerRecord[]> =>
    (await workers.list(SYSTEM, { limit: MOST_WORKERS })).map(({ value }) => value)
  const runs = openRuns(core, operatorRecords, {
    readsJobs: options.readsJobs,
    hasWorker: async () => (await liveWorkers()).length > 0,
  })

  const act = <T extends object>(
    principal: Principal,
    facts: ActFacts,
    preconditions: Preconditions,
    work: (preconditions: Preconditions) => Promise<T>,
  ): Promise<T> => withAct(core, operatorRecords, principal, facts, preconditions, work)

  const setState =
    (operation: string, state: SetState) =>
    async (
      principal: Principal,
      account: string,
      { reason }: { readonly reason: string },
      preconditions: Preconditions,
    ) => {
      if (account === principal.account && state !== 'active')
        throw conflict(
          `Your own credential belongs to ${account}. You could not undo this, because that account ` +
            `would be ${state}. Use the credential of another account`,
        )
      await accounts.demand(account)
      return act(principal, { operation, account, subject: null, reason }, preconditions, (inner) =>
        retryOrBusy('The account', async () => {
          const old = await states.get(SYSTEM, account)
          if (old?.value.erasing !== undefined && state !== 'closed') throw unfinished(account)
          if ((old?.value.state ?? 'active') === state)
            return setOf(
              old?.value ?? {
                account,
                state,
                reason,
                since: clock.now(),
                by: { account: principal.account, ...callerOf(principal) },
              },
            )
          const next = {
            account,
            state,
            reason,
            since: clock.now(),
            by: { account: principal.account, ...callerOf(principal) },
          }
          const change = new Change()
          if (old) states.update(change, SYSTEM, old, next)
          else states.insert(change, SYSTEM, next)
          const data = setOf(next)
          return (await commitWithPreconditions(records, change, inner, data)) && data
        }),
      )
    }
  /** A principal for an account: the operator's writes to its records are made as if by its owner. */
  const ownerOf = (account: string, user: string): Principal => ({ account, user, scopes: ['*'] })

  const toRun =
    (operation: string, work: 'cancel' | 'release') =>
    async (
      principal: Principal,
      account: string,
      run: string,
      { reason }: { readonly reason: string },
      preconditions: Preconditions,
    ) => {
      const owner = ownerOf(account, principal.user)
      const present = await executions.get(owner, run)
      if (
        work === 'release' &&
        present.status === 'paused' &&
        present.reason?.code !== 'account_suspended'
      )
        throw conflict('The account has paused this run itself, so only the account can resume it')
      const standing = await standingOf(core.accountStatus, account)
      if (work === 'release' && standing !== 'active')
        throw conflict(`The account is ${standing}: make it active first`)
      return act(
        principal,
        { operation, account, subject: run, reason, detail: { from: present.status } },
        preconditions,
        (inner) => executions[work](owner, run, inner),
      )
    }

  return {
    accounts: (query: AccountsQuery) => accounts.list(query),
    account: (account: string) => accounts.get(account),
    suspend: setState('operator.suspend', 'suspended'),
    resume: setState('operator.resume', 'active'),
    close: setState('operator.close', 'closed'),

    async setPlan(
      principal: Principal,
      account: string,
      { plan, reason }: { readonly plan: string; readonly reason: string },
      preconditions: Preconditions,
    ) {
      await accounts.demand(account)
      const present = await billing.subscription({ account, user: '', scopes: [] })
      return act(
        principal,
        {
          operation: 'operator.setPlan',
          account,
          subject: null,
          reason,
          detail: { from: present.plan.id, to: plan },
        },
        preconditions,
        // The cap that the account has set itself stays.
        (inner) => billing.setPlan(account, { plan, dailyCap: present.dailyCap }, inner),
      )
    },

    async adjust(
      principal: Principal,
      account: string,
      { id = ids('adj'), credits, expiresAt, reason }: AdjustmentInput,
      preconditions: Preconditions,
    ) {
      await accounts.demand(account)
      return act(
        principal,
        {
          operation: 'operator.adjust',
          account,
          subject: id,
          reason,
          detail: { credits, expiresAt: expiresAt ?? null },
        },
        preconditions,
        (inner) =>
          billing.adjust(
            account,
            {
              id,
              credits,
              note: reason,
              ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
            },
            inner,
          ),
      )
    },

    async keys(account: string, query: CreatedQuery) {
      await accounts.demand(account)
      return keys.list(ownerOf(account, ''), query)
    },
    /** The account may have no record yet: its first key makes it known. */
    createKey: (
      principal: Principal,
      account: string,
      { user = account, reason, ...input }: OperatorKeyInput,
      preconditions: Preconditions,
    ) =>
      act(
        principal,
        {
          operation: 'operator.createKey',
          account,
          subject: null,
          reason,
          detail: { name: input.name, scopes: input.scopes.join(' '), user },
        },
        preconditions,
        (inner) => keys.create(ownerOf(account, user), input, inner),
      ),
    revokeKey: (
      principal: Principal,
      account: string,
      key: string,
      { reason, descendants = false }: { readonly reason: string; readonly descendants?: boolean },
      preconditions: Preconditions,
    ) =>
      act(
        principal,
        {
          operation: 'operator.revokeKey',
          account,
          subject: key,
          reason,
          detail: { descendants },
        },
        preconditions,
        (inner) => keys.revoke(ownerOf(account, principal.user), key, { descendants }, inner),
      ),

    async usage(account: string, query: { readonly period?: string }) {
      await accounts.demand(account)
      return billing.usage({ account, user: '', scopes: [] }, query)
    },

    ...openUpkeep(core, operatorRecords, { accounts, upkeep: options.upkeep }),

    runs: (query: OperatorRunsQuery) => runs.list(query),
    stuck: (query: ListQuery) => runs.stuck(query),
    cancel: toRun('operator.cancel', 'cancel'),
    release: toRun('operator.release', 'release'),

    async workers(): Promise<{ readonly workers: OperatorWorker[] }> {
      return { workers: (await liveWorkers()).map(workerOf) }
    },

    async health(): Promise<OperatorHealth> {
      const [parts, alive] = await Promise.all([health(), liveWorkers()])
      return {
        ...parts,
        queue: parts.queue === null ? null : [...parts.queue],
        workers: alive.length,
        version: options.version,
        runtime: globalThis.navigator?.userAgent ?? 'unknown',
        at: isoTime(clock.now()),
      }
    },

    log: (query: ActsQuery) =>
      listRecords(core, {
        account: SYSTEM,
        operation: 'operator.log',
        query,
        filter: [query.account ?? null, query.operation ?? null],
        source: { collection: acts, keys: byId('act'), timeOf: ({ at }: ActRecord) => at },
        keep: ({ account, operation }: ActRecord) =>
          (query.account ?? account) === account && (query.operation ?? operation) === operation,
        show: (items) => items.map(actOf),
      }),
  }
}

/** The operator's service. */
export type Operator = ReturnType<typeof createOperator>

function workerOf({ id, startedAt, aliveAt, jobs, holds }: WorkerRecord): OperatorWorker {
  return {
    id,
    startedAt: isoTime(startedAt),
    aliveAt: isoTime(aliveAt),
    holds,
    jobs: jobs.map(({ since, ...job }) => ({ ...job, since: isoTime(since) })),
  }
}

function actOf({ at, ...act }: ActRecord): AdministrativeAct {
  return { ...act, at: isoTime(at) }
}
