import { conflict } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { pullStream } from '../common/export-rows.ts'
import type { Core } from '../core.ts'
import type { verify } from '../verify/service.ts'
import type { AccountsView } from './accounts.ts'
import { openErasure } from './erasure.ts'
import type { BeginErasure, ErasedParts } from './erasure.ts'
import type { OperatorRecords } from './records.ts'

/** Functions of the platform that go through all records of an account. */
export interface OperatorUpkeep {
  /**
   * Verifies one account after the other, and the platform's own records as `~`; `null`: all. A
   * report fails once the signal aborts. It lists 100 differences: a damaged store may have very
   * many.
   */
  reports(
    account: string | null,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly account: string; readonly report: ReturnType<typeof verify> }>
  /** It deletes only as long as the record that `begin` returns keeps its version. */
  erase(account: string, begin: BeginErasure): Promise<ErasedParts>
}

/** Interval of signs of life, in ms. Proxies close a connection that sends nothing for a minute. */
const BEAT_MS = 15_000
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
      for await (const { account: name, report } of upkeep.reports(account, signal)) {
        // If the reader has left, its error is ignored.
        report.catch(() => undefined)
        while (!(await isDone(report))) yield '\n'
        const { ok, checks, differences } = await report
        const more = checks.reduce((sum, check) => sum + check.differences, 0) - differences.length
        yield `${JSON.stringify({ account: name, ok, checks, differences, more })}\n`
        count++
        isRight &&= ok
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

async function* encoded(lines: AsyncIterable<string>) {
  for await (const line of lines) yield encoder.encode(line)
}
