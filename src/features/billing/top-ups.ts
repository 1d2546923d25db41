import { PlatformError, conflict, notFound } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import type { Payments, TopUpPlaced } from '../../ports/payments.ts'
import type { TopUpRecord, TopUpStatus } from './records.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Stored } from '../../records/collection.ts'
import { eachPage } from '../../records/paginate.ts'
import { retryConflicts, retryOrBusy } from '../../records/retry.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import type { ListPage } from '../common/list-page.ts'
import { listRecords } from '../common/list-records.ts'
import { BY_TIME } from '../common/timed-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import type { Core } from '../core.ts'
import { DAY_MS } from '../../kernel/time.ts'

/** A top-up on the wire. */
export interface PurchasedCredits {
  readonly id: string
  readonly credits: number
  /** `completed`: it is paid, and its credits are in the wallet. */
  readonly status: TopUpStatus
  /** URL of the payment page, if there is one. */
  readonly url: string | null
  readonly returnUrl: string | null
  /** Why it failed. */
  readonly reason: string | null
  readonly createdAt: string
  readonly completedAt: string | null
}

/** Credits to buy. */
export interface TopUpInput {
  readonly credits: number
  /** URL that the payer returns to. */
  readonly returnUrl?: string
  /**
   * Identifies the top-up for one day. A second call with the same reference in this time returns
   * the same top-up, which is paid once.
   */
  readonly reference?: string
}

/** Purchases of credits. */
export interface TopUps {
  create(
    principal: Principal,
    input: TopUpInput,
    preconditions?: Preconditions,
  ): Promise<PurchasedCredits>
  list(account: string, query: CreatedQuery): Promise<ListPage<PurchasedCredits>>
  get(account: string, id: string): Promise<PurchasedCredits>
  confirm(id: string): Promise<PurchasedCredits>
  fail(id: string, reason: string): Promise<PurchasedCredits>
}

/** Opens the top-ups. */
export function createTopUps(core: Core, payments: Payments | null): TopUps {
  const { records, ledger, ids, clock, logger } = core
  const find = async (account: string, id: string): Promise<Stored<TopUpRecord>> => {
    const stored = await records.topUps.get(account, id)
    if (!stored) throw notFound('Top-up')
    return stored
  }
  const accountOf = async (id: string): Promise<string> => {
    const owner = await records.topUpOwners.get(SYSTEM, id)
    if (!owner) throw notFound('Top-up')
    return owner.value.account
  }

  /** Stores the top-up before any payment is requested, so that every payment belongs to an account. */
  const demand = async (
    account: string,
    { credits, returnUrl: url, reference }: TopUpInput,
  ): Promise<TopUpRecord> => {
    const returnUrl = url ?? null
    const topUp = await retryConflicts(async () => {
      const now = clock.now()
      const earlier = reference === undefined ? null : await records.topUps.get(account, reference)
      if (earlier && now - earlier.value.createdAt < DAY_MS) {
        if (earlier.value.credits !== credits || earlier.value.returnUrl !== returnUrl)
          throw conflict('The reference belongs to another top-up')
        return earlier.value
      }
      const id = earlier ? ids('top') : (reference ?? ids('top'))
      const change = new Change()
      const pending: TopUpRecord = {
        id,
        credits,
        status: 'pending',
        placed: false,
        url: null,
        returnUrl,
        reason: null,
        createdAt: now,
        completedAt: null,
      }
      records.topUps.insert(change, account, pending)
      records.topUpOwners.insert(change, SYSTEM, { id, account })
      records.topUpTimes.put(change, account, { createdAt: now, id })
      try {
        return (await records.commit(change)) && pending
      } catch (error) {
        // The commit may have been applied although its answer was lost. A read shows this.
        if (!(await records.topUps.get(account, id))) throw error
        return pending
      }
    })
    if (topUp === null) throw conflict('The reference is already used')
    return topUp
  }

  /**
   * Changes the current version of a top-up. If it is `paid`, its credits are added in the same
   * commit, which can succeed only once.
   */
  const update = (
    account: string,
    id: string,
    next: (old: TopUpRecord, now: number) => TopUpRecord,
    preconditions?: Preconditions,
  ): Promise<PurchasedCredits> =>
    ledger.alone(account, () =>
      retryOrBusy('The top-up', async () => {
        const now = clock.now()
        const old = await find(account, id)
        const after = next(old.value, now)
        const data = topUpOf(after)
        if (after === old.value && !preconditions) return data
        const change = new Change()
        if (after === old.value) records.topUps.require(change, account, old)
        else records.topUps.update(change, account, old, after)
        if (after.status === 'completed' && old.value.status !== 'completed') {
          const session = await ledger.open(account, now)
          session.bring('top_up', `top-up:${id}`, after.credits, now, null, {
            note: `Top-up ${id}`,
          })
          session.write(change)
        }
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      }),
    )

  const place = async (
    provider: Payments,
    { account, user }: Principal,
    { id, credits, returnUrl }: TopUpRecord,
  ): Promise<TopUpPlaced> => {
    try {
      return await provider.createTopUp({ id, account, user, credits, returnUrl })
    } catch (error) {
      if (error instanceof PlatformError) throw error
      logger.error('A top-up could not be ordered', { topUp: id, error })
      throw new PlatformError(
        'SERVICE_UNAVAILABLE',
        'The payment could not be started; try again with the same Idempotency-Key',
        { headers: { 'Retry-After': '5' }, cause: error },
      )
    }
  }
  /**
   * Stores the times of top-ups of earlier versions, which did not store them. This is done once
   * for each account.
   */
  const timeEarlier = async (account: string): Promise<void> => {
    if (await records.topUpsTimed.get(account, 'all')) return
    for await (const page of eachPage(records.topUps, account)) {
      const change = new Change()
      for (const { value } of page)
        records.topUpTimes.put(change, account, { createdAt: value.createdAt, id: value.id })
      await records.commit(change)
    }
    const change = new Change()
    records.topUpsTimed.put(change, account, { id: 'all' })
    await records.commit(change)
  }
  const paid = (topUp: TopUpRecord, now: number): TopUpRecord =>
    topUp.status === 'completed'
      ? topUp
      : { ...topUp, status: 'completed', reason: null, completedAt: now }

  return {
    async create(principal, input, preconditions) {
      if (!payments)
        throw new PlatformError(
          'NOT_FOUND',
          'This service takes no payments: credits come with the plan, or from the operator of ' +
            'this service',
        )
      const topUp = await demand(principal.account, input)
      const placed = topUp.placed ? null : await place(payments, principal, topUp)
      return update(
        principal.account,
        topUp.id,
        (old, now) => {
          if (placed === null || old.placed) return old
          const placedTopUp: TopUpRecord = { ...old, placed: true, url: placed.url ?? null }
          return placed.status === 'completed' ? paid(placedTopUp, now) : placedTopUp
        },
        preconditions,
      )
    },
    async list(account, query) {
      await timeEarlier(account)
      return listRecords(core, {
        account,
        operation: 'billing.topUps',
        query,
        source: {
          collection: records.topUpTimes,
          keys: BY_TIME,
          timeOf: ({ createdAt }) => createdAt,
        },
        async show(items) {
          const topUps = await records.topUps.getMany(
            account,
            items.map(({ id }) => [id]),
          )
          return topUps.flatMap((stored) => (stored ? [topUpOf(stored.value)] : []))
        },
      })
    },
    get: async (account, id) => topUpOf((await find(account, id)).value),
    confirm: async (id) => update(await accountOf(id), id, paid),
    fail: async (id, reason) =>
      update(await accountOf(id), id, (old) => {
        if (old.status === 'completed')
          throw conflict('The top-up is already paid: take the credits back with an adjustment')
        return old.status === 'failed' ? old : { ...old, status: 'failed', reason }
      }),
  }
}

function topUpOf({
  placed: _placed,
  createdAt,
  completedAt,
  ...topUp
}: TopUpRecord): PurchasedCredits {
  return { ...topUp, createdAt: isoTime(createdAt), completedAt: isoTimeOrNull(completedAt) }
}
