import { decodeProvenance } from '../../../src/features/common/provenance.ts'
import { Replay } from '../../../src/features/verify/replay.ts'
import { Faults } from '../../../src/features/verify/findings.ts'
import { addRowFaults } from '../../../src/features/verify/verify-provenance.ts'
import type { Row } from '../../../src/kernel/json.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Commit, Store } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { ExecutionRecord, ProgressRecord } from '../../../src/features/executions/records.ts'

const FINAL = new Set(['succeeded', 'failed', 'cancelled', 'timed_out'])
const ALL = 10_000

/** A store that checks everything after each successful commit, and notes broken rules. */
export class CheckedStore implements Store {
  readonly #base: Store
  readonly #check: () => Promise<void>
  #last: Promise<unknown> = Promise.resolve()
  get: Store['get']
  list: Store['list']
  close: Store['close']

  constructor(base: Store, check: () => Promise<void>) {
    this.#base = base
    this.#check = check
    this.get = (keys) => base.get(keys)
    this.list = (range) => base.list(range)
    this.close = () => base.close()
  }

  /** One after the other, so that a check sees the store right after one commit. */
  commit(change: Commit): Promise<boolean> {
    const commit = this.#last.then(async () => {
      const isWritten = await this.#base.commit(change)
      if (isWritten) await this.#check()
      return isWritten
    })
    this.#last = commit.catch(() => undefined)
    return commit
  }
}

/**
 * Watches the executions of one account from outside, by its records only. Rows are read again when
 * a record or a blob of theirs is another one.
 */
export function watch(
  store: Store,
  blobs: Blobs,
  account: string,
): { check: () => Promise<void>; broken: Set<string> } {
  const records = createRecords(store)
  const broken = new Set<string>()
  const before = new Map<string, { execution: ExecutionRecord; progress: ProgressRecord }>()
  /** Blobs whose provenance is complete, with its length. */
  const complete = new WeakMap<Uint8Array, number>()
  /** The records and blobs of each execution whose rows had no fault. */
  const faultless = new Map<string, readonly unknown[]>()
  const must = (holds: boolean, name: string): void => {
    if (!holds) broken.add(name)
  }

  const checkMoney = async (): Promise<void> => {
    const [wallet, entries, holds, executions] = await Promise.all([
      records.wallets.get(account),
      records.ledger.list(account, { limit: ALL }),
      records.holds.list(account, { limit: ALL }),
      records.executions.list(account, { limit: ALL }),
    ])
    if (!wallet) return
    const replay = new Replay()
    for (const { value } of entries) replay.add(value)
    const open = await Promise.all(
      holds.map(async ({ value: { execution, reserved } }) => ({
        execution,
        reserved,
        spent: (await records.progress.get(account, execution))?.value.credits ?? 0,
      })),
    )
    await replay.compare(wallet.value, open)
    for (const fault of replay.faults.listed) broken.add(`money: ${fault}`)
    const held = new Set(holds.map(({ value }) => value.execution))
    for (const { value } of executions)
      must(
        held.has(value.id) === (!FINAL.has(value.status) && (value.reserved ?? 0) > 0),
        'a hold outlives its execution, or an execution has none',
      )
    must(
      executions.filter(({ value }) => !FINAL.has(value.status)).length <=
        (wallet.value.unfinished ?? Infinity),
      'more executions are unfinished than the wallet has counted',
    )
  }

  const check = async (): Promise<void> => {
    await checkMoney()
    for (const { value: execution } of await records.executions.list(account, { limit: ALL })) {
      const progress = (await records.progress.get(account, execution.id))?.value
      if (!progress) {
        broken.add('an execution has no progress')
        continue
      }
      const slice = { within: [execution.id], limit: ALL }
      const [visits, frontier, segments] = await Promise.all([
        records.visits.list(account, slice),
        records.frontier.list(account, slice),
        records.segments.list(account, slice),
      ])
      const count = (outcome: string): number =>
        visits.filter(({ value }) => value.outcome === outcome).length
      must(
        Object.entries(progress.outcomes).every(([outcome, n]) => count(outcome) === n) &&
          visits.length === sum(Object.values(progress.outcomes)),
        'counters differ from the receipt',
      )
      must(
        progress.discovered === visits.length + frontier.length,
        'a URL was lost or is in two places',
      )
      const urls = [...visits, ...frontier].map(({ value }) => value.url)
      must(new Set(urls).size === urls.length, 'a URL stands twice in the receipt')
      must(
        progress.credits === sum(visits.map(({ value }) => value.credits)),
        'credits differ from the receipt',
      )
      must(
        // Segments of deleted rows go one after the other.
        execution.rowsDeletedAt !== undefined ||
          progress.rows === sum(segments.map(({ value }) => value.rows)),
        'rows differ from the segments',
      )
      must(
        progress.rows === sum(visits.map(({ value }) => value.rows)),
        'rows differ from the receipt',
      )
      must(
        execution.rowsDeletedAt !== undefined ||
          segments.every(({ value }, i) => value.index === i),
        'segments have a gap',
      )
      const old = before.get(execution.id)
      if (old) {
        must(
          !FINAL.has(old.execution.status) || outcomeOf(old.execution) === outcomeOf(execution),
          'a finished execution changed',
        )
        must(
          !FINAL.has(old.execution.status) || countsOf(old.progress) === countsOf(progress),
          'the counters of a finished execution changed',
        )
        must(
          old.progress.visited <= progress.visited &&
            old.progress.rows <= progress.rows &&
            old.progress.discovered <= progress.discovered,
          'progress went back',
        )
      }
      before.set(execution.id, { execution, progress })
      for (const { value } of segments)
        must((await blobs.get(value.blob)) !== null, 'a segment has no blob')
      must(
        segments.every(({ value }) => value.provenance !== undefined),
        'rows have no provenance',
      )
      const rows: unknown[] = [...segments, ...visits].map(({ version }) => version)
      for (const { value } of segments) {
        const blob = await blobs.get(value.blob)
        rows.push(blob)
        const { provenance = 0 } = value
        if (!blob || complete.get(blob) === provenance) continue
        const isComplete = decodeProvenance(blob.subarray(blob.length - provenance)).every(
          ({ fetchedAt, sources }) =>
            fetchedAt !== null && sources.every(([codes]) => codes !== ''),
        )
        must(isComplete, 'rows do not say when, or by which sources, they were read')
        if (isComplete) complete.set(blob, provenance)
      }
      if (isSame(rows, faultless.get(execution.id))) continue
      const ofRows = new Faults()
      await addRowFaults(ofRows, records, blobs, account, execution.id)
      for (const fault of ofRows.listed) broken.add(`provenance: ${fault}`)
      if (ofRows.listed.length === 0) faultless.set(execution.id, rows)
    }
  }
  return { check, broken }
}

/** An execution without members that may change after its end: rows and media may be deleted. */
function outcomeOf(execution: ExecutionRecord): string {
  const later = new Set(['rowsDeletedAt', 'mediaDeletion', 'relocation', 'updatedAt'])
  return JSON.stringify(Object.entries(execution).filter(([name]) => !later.has(name)))
}

/** Counters that never change after the end; bytes may be deleted, or merged into a dataset. */
function countsOf({
  rowBytes: _rowBytes,
  countedStored: _stored,
  mergeBytes: _mergeBytes,
  ...progress
}: ProgressRecord): string {
  return JSON.stringify(progress)
}

function isSame(now: readonly unknown[], before: readonly unknown[] = []): boolean {
  return now.length === before.length && now.every((one, index) => one === before[index])
}

/** Rows as an order-free fingerprint. */
export function fingerprint(rows: readonly Row[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted()
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0)
}
