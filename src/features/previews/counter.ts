import { busy, previewLimitExceeded } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Clock } from '../../ports/clock.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { CROWDED_TRIES, retryConflicts } from '../../records/retry.ts'
import { previewCountId } from './records.ts'
import type { PreviewCountRecord } from './records.ts'
import type { Records } from '../records.ts'
import { isoTime } from '../common/time.ts'
import type { PreviewQuotas } from './quotas.ts'
import { DAY_MS } from '../../kernel/time.ts'

/** Counts previews against the quotas. */
interface PreviewCounter {
  /**
   * Counts one preview of the day. The answer's `giveBack` takes it back.
   *
   * @throws {PlatformError} 429 if the quota is used up
   */
  take(
    principal: Principal,
    scope: string,
    quotas: PreviewQuotas,
  ): Promise<{ giveBack(): Promise<void> }>
}

interface Ask {
  readonly scope: string
  readonly quotas: PreviewQuotas
  /** 1, or -1 to give a preview back. */
  readonly amount: 1 | -1
  readonly day: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Count {
  readonly stored: Stored<PreviewCountRecord> | null
  readonly record: PreviewCountRecord
  now: number
}

/**
 * Counts previews in the store, which all processes share. Within a process, concurrent requests of
 * the same user are counted in one commit, so that a burst does not conflict with itself.
 */
export function createPreviewCounter({
  records,
  clock,
}: {
  readonly records: Records
  readonly clock: Clock
}): PreviewCounter {
  const waiting = new Map<string, Ask[]>()

  const ask = (
    principal: Principal,
    scope: string,
    quotas: PreviewQuotas,
    amount: 1 | -1,
    day: string,
  ): Promise<void> =>
    new Promise((resolve, reject) => {
      const caller = JSON.stringify([principal.account, principal.user])
      const request: Ask = { scope, quotas, amount, day, resolve, reject }
      const queue = waiting.get(caller)
      if (queue) queue.push(request)
      else {
        waiting.set(caller, [request])
        void serve(caller, principal)
      }
    })

  /** Settles all waiting requests of a user, including those that arrive in the meantime. */
  async function serve(caller: string, principal: Principal): Promise<void> {
    for (;;) {
      const queue = waiting.get(caller)
      if (!queue || queue.length === 0) break
      waiting.set(caller, [])
      for (const [day, asks] of Map.groupBy(queue, (request) => request.day)) {
        try {
          await settle(principal, day, asks)
        } catch (error) {
          for (const { reject } of asks) reject(error)
        }
      }
    }
    waiting.delete(caller)
  }

  async function settle(
    { account, user }: Principal,
    day: string,
    asks: readonly Ask[],
  ): Promise<void> {
    const scopes = [null, ...new Set(asks.map(({ scope }) => scope))]
    const endOfDay = Date.parse(day) + DAY_MS
    const isCounted = await retryConflicts(async () => {
      const storedCounts = await records.previewCounts.getMany(
        account,
        scopes.map((scope) => previewCountId(user, day, scope)),
      )
      const counts = new Map<string | null, Count>(
        scopes.map((scope, index) => {
          const stored = storedCounts[index] ?? null
          return [
            scope,
            { stored, record: { user, day, scope, count: 0 }, now: stored?.value.count ?? 0 },
          ]
        }),
      )
      const refusals = new Map(
        asks.map((request) => [request, weigh(request, counts, endOfDay, clock.now())]),
      )
      const change = new Change()
      for (const { stored, record, now } of counts.values()) {
        if (now === (stored?.value.count ?? 0)) continue
        if (stored) records.previewCounts.require(change, account, stored)
        else
          records.previewCounts.requireAbsent(
            change,
            account,
            ...records.previewCounts.spec.id(record),
          )
        records.previewCounts.put(change, account, { ...record, count: now }, endOfDay)
      }
      // If all are refused there is nothing to write.
      if (change.size > 0 && !(await records.commit(change))) return false
      for (const [request, refusal] of refusals) {
        if (refusal) request.reject(refusal)
        else request.resolve()
      }
      return true
    }, CROWDED_TRIES)
    if (!isCounted) throw busy('Too many previews are being counted at this moment; try again')
  }

  return {
    async take(principal, scope, quotas) {
      const unlimited = quotas.perDay === Infinity && quotas.perScope === Infinity
      if (unlimited) return { giveBack: async () => undefined }
      const day = isoTime(clock.now()).slice(0, 10)
      await ask(principal, scope, quotas, 1, day)
      return { giveBack: () => ask(principal, scope, quotas, -1, day) }
    },
  }
}

/** Counts one preview, or returns the reason to refuse it. */
function weigh(
  { scope, quotas, amount }: Ask,
  counts: ReadonlyMap<string | null, Count>,
  endOfDay: number,
  now: number,
): Error | null {
  const [all, own] = [counts.get(null), counts.get(scope)]
  if (!all || !own) throw new Error('A preview has a total counter and one for its scope')
  if (amount > 0) {
    const until = { resetAt: endOfDay, now }
    if (all.now >= quotas.perDay)
      return previewLimitExceeded(
        `Today's ${quotas.perDay} previews are used up; the quota resets at ${isoTime(endOfDay)}`,
        until,
      )
    if (own.now >= quotas.perScope)
      return previewLimitExceeded(
        `Today's ${quotas.perScope} previews of ${nameOf(scope)} are used up; the quota resets ` +
          `at ${isoTime(endOfDay)}`,
        until,
      )
  }
  all.now = Math.max(0, all.now + amount)
  own.now = Math.max(0, own.now + amount)
  return null
}

/** The name of a scope for messages. An id begins with its kind; an unsaved recipe has no id. */
function nameOf(scope: string): string {
  return scope === 'recipe' ? 'unsaved recipes' : scope
}
