import { conflict } from '../../kernel/errors.ts'
import { StoreFailure } from '../../kernel/failures.ts'
import type { StoreFailureReason } from '../../kernel/failures.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { pullStream } from '../common/export-rows.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Core } from '../core.ts'
import type { verify } from '../verify/service.ts'
import type { AccountsView } from './accounts.ts'
import { openErasure } from './erasure.ts'
import type { BeginErasure, ErasedParts } from './erasure.ts'
import type { OperatorRecords } from './records.ts'

/** Functions of the platform that go through all records of an account. */
export interface OperatorUpkeep {
  /**
   * Verifies one account after the other, and the platform's own records as `~`. `null`: all
   * accounts. A report fails when the signal aborts. It lists 100 differences, because a damaged
   * store may have very many.
   */
  reports(
    account: string | null,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly account: string; readonly report: ReturnType<typeof verify> }>
  /** It deletes only while the record that `begin` returns keeps its version. */
  erase(account: string, begin: BeginErasure): Promise<ErasedParts>
}

/** Interval of signs of life, in ms. Proxies close a connection that sends nothing for a minute. */
const BEAT_MS = 15_000
/** Failures that another try does not end. */
const LASTING: ReadonlySet<StoreFailureReason> = new Set(['damaged', 'failing'])
const encoder = new TextEncoder()

/** Opens the acts of operators that go through all data of an account. */
export function openUpkeep(
  core: Core,
  operatorRecords: OperatorRecords,
  { accounts, upkeep }: { readonly accounts: AccountsView; readonly upkeep: OperatorUpkeep },
) {
  const { clock, shares } = core
  let isVerifying = false

  /** A line of JSON for each account, and one for all at the end. Empty lines are signs of life. */
  async function* linesOf(account: string | null, gone: AbortSignal): AsyncGenerator<string> {
    if (isVerifying)
      throw conflict('This server is already verifying: try again when that has ended, or stop it')
    isVerifying = true
    const over = new AbortController()
    const signal = AbortSignal.any([gone, over.signal])
    try {
      let count = 0
      let isRight = true
      try {
        for await (const { account: name, report } of upkeep.reports(account, signal)) {
          const line = report.then(lineOf, (error: unknown) => unreadLine(name, error))
          // If the reader has left, its error is ignored.
          line.catch(() => undefined)
          while (!(await isDone(line))) yield '\n'
          const { ok, ...rest } = await line
          yield `${JSON.stringify({ account: name, ok, ...rest })}\n`
          count++
          isRight &&= ok
        }
      } catch (error) {
        // Nothing was sent yet, so the whole answer can be the error.
        if (count === 0) throw error
        isRight = false
        yield `${JSON.stringify({ account: SYSTEM, ...unreadLine(SYSTEM, error) })}\n`
      }
      yield `${JSON.stringify({ ok: isRight, accounts: count })}\n`
    } finally {
      over.abort()
      isVerifying = false
    }
  }

  /** Resolves with false if the work takes longer than a reader should wait for a sign of life. */
  async function isDone(work: Promise<unknown>): Promise<boolean> {
    const over = new AbortController()
    const waited = clock.sleep(BEAT_MS, over.signal).then(
      () => false,
      () => true,
    )
    try {
      return await Promise.race([work.then(() => true), waited])
    } finally {
      over.abort()
    }
  }

  return {
    /** @throws {PlatformError} 404 for an account that has no record, 409 while it verifies */
    async verify({ account: caller }: Principal, account: string | null, gone: AbortSignal) {
      if (account !== null) await accounts.demand(account)
      return pullStream(encoded(linesOf(account, gone)), { account: caller, shares, isApart: true })
    },

    erase: openErasure(core, operatorRecords, { accounts, upkeep }),
  }
}

function lineOf({ ok, checks, differences }: Awaited<ReturnType<typeof verify>>) {
  const more = checks.reduce((sum, check) => sum + check.differences, 0) - differences.length
  return { ok, checks, differences, more }
}

/**
 * The line of an account, or of the list of all, that a damaged store or disk cannot give. The rest
 * may be sound.
 *
 * @throws {unknown} any other error
 */
function unreadLine(account: string, error: unknown) {
  if (!(error instanceof StoreFailure) || !LASTING.has(error.reason)) throw error
  const { message } = error
  const difference: Awaited<ReturnType<typeof verify>>['differences'][number] = {
    area: 'store',
    account,
    subject: 'records',
    message,
    repaired: false,
  }
  return { ok: false, checks: [], differences: [difference], more: 0 }
}

async function* encoded(lines: AsyncIterable<string>) {
  for await (const line of lines) yield encoder.encode(line)
}
