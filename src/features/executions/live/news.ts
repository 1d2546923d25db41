import type { Records } from '../../records.ts'
import type { Stored } from '../../../records/collection.ts'
import type { SettledRecord, ExecutionRecord, ProgressRecord } from '../records.ts'
import { emptyProgress } from '../records.ts'
import { receiptOf } from '../receipt.ts'
import { stateOf, eventText } from './live-event.ts'
import type { LiveEvent, Move, EventContent } from './live-event.ts'
import { positionText } from './position.ts'
import type { Position } from './position.ts'

/** The events after a position. */
export interface News {
  readonly events: readonly LiveEvent[]
  readonly next: Position
  /** True if there were no further events when this was read. */
  readonly whole: boolean
  readonly execution: ExecutionRecord
  readonly progress: ProgressRecord
}

/** Approximate number of outcomes in one read. */
const PAGES = 200
const COMMITS = 20
const MOVES = 100

/**
 * Reads the events of an execution after a position. Every read gives the same order: a move, then
 * the outcomes that were settled under it. The number of reads from the store does not depend on
 * the size of the execution. `null`: there is no such execution.
 *
 * The order of the reads matters. If this read includes a move, it includes all outcomes before
 * that move. Outcomes after a later move wait for the next read. `pages: false` gives only moves.
 */
export async function readNews(
  records: Records,
  account: string,
  id: string,
  from: Position,
  pages = true,
): Promise<News | null> {
  const execution = await records.executions.get(account, id)
  if (!execution) return null
  const progress = (await records.progress.get(account, id))?.value ?? emptyProgress(id)
  const moves = await readMoves(records, account, execution.value, from.move)
  const commits = await records.settled.list(account, {
    within: [id],
    after: [id, from.settled - 1],
    limit: COMMITS,
  })
  return new Reading(records, account, { execution: execution.value, progress, from, pages }).give(
    moves,
    commits,
  )
}

async function readMoves(
  records: Records,
  account: string,
  execution: ExecutionRecord,
  after: number,
): Promise<{ readonly list: Move[]; readonly whole: boolean }> {
  const { id, createdAt, updatedAt, status, reason, startedAt, finishedAt } = execution
  if (after >= updatedAt) return { list: [], whole: true }
  const list: Move[] = (
    await records.moves.list(account, { within: [id], after: [id, after], limit: MOVES })
  ).map(({ value }) => value)
  const whole = list.length < MOVES
  if (after === 0)
    list.unshift({
      at: createdAt,
      status: 'queued',
      reason: null,
      startedAt: null,
      finishedAt: null,
    })
  // The moves are read after the execution, so its last move is among them unless it is too old to
  // be stored.
  if (whole && (list.at(-1)?.at ?? 0) < updatedAt)
    list.push({ at: updatedAt, status, reason, startedAt, finishedAt })
  return { list: list.filter(({ at }) => at <= updatedAt), whole }
}

interface Facts {
  readonly execution: ExecutionRecord
  readonly progress: ProgressRecord
  readonly from: Position
  readonly pages: boolean
}

/** Merges moves and commits into events with positions. */
class Reading {
  readonly #records: Records
  readonly #account: string
  readonly #facts: Facts
  readonly #events: LiveEvent[] = []
  #at: Position
  #pages = 0

  constructor(records: Records, account: string, facts: Facts) {
    this.#records = records
    this.#account = account
    this.#facts = facts
    this.#at = facts.from
  }

  async give(
    moves: { readonly list: readonly Move[]; readonly whole: boolean },
    commits: readonly Stored<SettledRecord>[],
  ): Promise<News> {
    const { execution, progress } = this.#facts
    const waitingMoves = [...moves.list]
    const waiting = commits.map(({ value }) => value)
    this.#mendGap(waiting[0])
    let whole = moves.whole
    for (;;) {
      const [move] = waitingMoves
      const [commit] = waiting
      if (commit && commit.move <= execution.updatedAt && !(move && move.at <= commit.move)) {
        if (this.#pages >= PAGES) whole = false
        if (this.#pages >= PAGES || !(await this.#giveCommit(commit))) break
        waiting.shift()
        continue
      }
      // If there may be more commits, the move waits, because the next commit may come before it.
      if (waiting.length === 0 && commits.length === COMMITS) {
        whole = false
        break
      }
      if (!move) break
      this.#push(
        { ...this.#at, move: move.at },
        { event: 'state', data: stateOf(execution, move, progress) },
      )
      waitingMoves.shift()
    }
    return { events: this.#events, next: this.#at, whole, execution, progress }
  }

  /**
   * Adds a `gap` event for a reader that was away for more than a day. The history is not kept
   * longer.
   */
  #mendGap(first: SettledRecord | undefined): void {
    const { progress, pages } = this.#facts
    const settled = first?.index ?? progress.settled
    if (settled <= this.#at.settled) return
    const to = { ...this.#at, settled, taken: 0 }
    if (pages) this.#push(to, { event: 'gap', data: {} })
    else this.#at = to
  }

  /** Adds the outcomes of a commit. `false`: only some of them were added. */
  async #giveCommit({ index, seqs }: SettledRecord): Promise<boolean> {
    const done = { ...this.#at, settled: index + 1, taken: 0 }
    if (!this.#facts.pages) {
      this.#at = done
      return true
    }
    const { id } = this.#facts.execution
    const first = this.#at.taken
    const part = seqs.slice(first, first + PAGES)
    const visits = await this.#records.visits.getMany(
      this.#account,
      part.map((seq) => [id, seq]),
    )
    this.#pages += part.length
    for (const [i, visit] of visits.entries()) {
      const count = first + i + 1
      const to = count === seqs.length ? done : { ...this.#at, taken: count }
      if (visit) this.#push(to, { event: 'page', data: receiptOf(visit.value) })
      else this.#at = to
    }
    if (first + part.length < seqs.length) return false
    this.#at = done
    return true
  }

  #push(to: Position, news: EventContent): void {
    this.#events.push({ ...news, from: positionText(this.#at), id: positionText(to) })
    this.#at = to
  }
}

/** Consecutive events, ready to send. */
interface Slice {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The position after the events. */
  readonly to: Position
}

/** Number of events that are kept for readers a little behind. Other readers read the store. */
const MOST = 1_000
const encoder = new TextEncoder()

/**
 * The last events of an execution. They are serialised once for all readers, and found by the
 * position before each of them.
 */
export class Recent {
  readonly #starts = new Map<string, { readonly batch: Batch; readonly index: number }>()

  /** `to`: the position after the events. */
  add(events: readonly LiveEvent[], to: Position): void {
    const batch = new Batch(events, to)
    for (const [index, { from }] of events.entries()) this.#starts.set(from, { batch, index })
    for (const from of this.#starts.keys()) {
      if (this.#starts.size <= MOST) return
      this.#starts.delete(from)
    }
  }

  /** Returns the events after a position. `null`: the position is not among these events. */
  after(position: string, pages: boolean): Slice | null {
    const start = this.#starts.get(position)
    return start ? start.batch.from(start.index, pages) : null
  }
}

class Batch {
  readonly #events: readonly LiveEvent[]
  readonly #to: Position
  readonly #whole = new Map<boolean, Slice>()

  constructor(events: readonly LiveEvent[], to: Position) {
    this.#events = events
    this.#to = to
  }

  from(index: number, pages: boolean): Slice {
    if (index > 0) return { bytes: bytesOf(this.#events.slice(index), pages), to: this.#to }
    const slice = this.#whole.get(pages) ?? { bytes: bytesOf(this.#events, pages), to: this.#to }
    this.#whole.set(pages, slice)
    return slice
  }
}

/** Serialises events. Without `pages`, only the moves. */
export function bytesOf(events: readonly LiveEvent[], pages: boolean): Uint8Array<ArrayBuffer> {
  return encoder.encode(
    events
      .map(({ event, id, data }) => (pages || event === 'state' ? eventText(event, id, data) : ''))
      .join(''),
  )
}
