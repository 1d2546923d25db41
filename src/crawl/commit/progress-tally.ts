import { isFailed, isVisited } from '../../features/executions/records.ts'
import type { LabelCounts, Outcome, ProgressRecord } from '../../features/executions/records.ts'
import type { VisitOutcome } from '../visit/outcome.ts'

/** Adds up the counters of a commit, starting from the committed ones. */
export class ProgressTally {
  readonly #before: ProgressRecord
  readonly #outcomes: Partial<Record<Outcome, number>>
  /** A map, because a column may have the name of an inherited property. */
  readonly #filled: Map<string, number>
  readonly #errors: Record<string, number>
  readonly labels: LabelTally
  discovered: number
  #visited: number
  #bytes: number
  #visitBytes: number
  #credits: number
  #extracted: number
  #firstError: string | null
  #media: ProgressRecord['media']
  #model: ProgressRecord['model']

  constructor(before: ProgressRecord) {
    this.#before = before
    this.#outcomes = { ...before.outcomes }
    this.#filled = new Map(Object.entries(before.filled))
    this.#errors = { ...before.errors }
    this.labels = new LabelTally(before.labels)
    this.discovered = before.discovered
    this.#visited = before.visited
    this.#bytes = before.bytes
    this.#visitBytes = before.visitBytes ?? 0
    this.#credits = before.credits
    this.#extracted = before.extracted
    this.#firstError = before.firstError
    this.#media = before.media
    this.#model = before.model
  }

  add(page: VisitOutcome, rowCount: number, credits: number, bytes: number): void {
    this.#outcomes[page.outcome] = (this.#outcomes[page.outcome] ?? 0) + 1
    this.labels.settled(page, rowCount)
    if (isVisited(page.outcome)) this.#visited++
    this.#bytes += page.bytes
    this.#visitBytes += bytes
    this.#credits += credits
    if (page.extracted) this.#extracted++
    if (page.media.fetched > 0)
      this.#media = {
        items: (this.#media?.items ?? 0) + page.media.fetched,
        bytes: (this.#media?.bytes ?? 0) + page.media.bytes,
      }
    if (page.tokens)
      this.#model = {
        pages: (this.#model?.pages ?? 0) + 1,
        inputTokens: (this.#model?.inputTokens ?? 0) + page.tokens.input,
        outputTokens: (this.#model?.outputTokens ?? 0) + page.tokens.output,
      }
    // Rows dropped as duplicates do not count: `filled` describes the rows of the result.
    if (rowCount > 0)
      for (const [column, count] of Object.entries(page.filled))
        this.#filled.set(column, (this.#filled.get(column) ?? 0) + Math.min(count, rowCount))
    if (page.reason && isFailed(page.outcome)) {
      this.#errors[page.reason.code] = (this.#errors[page.reason.code] ?? 0) + 1
      this.#firstError ??= `${page.entry.url}: ${page.reason.message}`
    }
  }

  progress(rows: number, visits: number): ProgressRecord {
    const before = this.#before
    return {
      execution: before.execution,
      seeded: before.seeded,
      commit: before.commit,
      discovered: this.discovered,
      visited: this.#visited,
      outcomes: this.#outcomes,
      rows: before.rows + rows,
      segments: before.segments + (rows > 0 ? 1 : 0),
      settled: before.settled + (visits > 0 ? 1 : 0),
      bytes: this.#bytes,
      ...(this.#visitBytes > 0 && { visitBytes: this.#visitBytes }),
      credits: this.#credits,
      filled: Object.fromEntries(this.#filled),
      errors: this.#errors,
      firstError: this.#firstError,
      extracted: this.#extracted,
      labels: this.labels.toRecord(),
      ...(this.#media && { media: this.#media }),
      ...(this.#model && { model: this.#model }),
    }
  }
}

type Mutable = { -readonly [name in keyof LabelCounts]: LabelCounts[name] }

/** Counts pages by their labels, starting from committed counters. */
class LabelTally {
  /** A map, because a label may have the name of an inherited property. */
  readonly #counts: Map<string, Mutable>

  constructor(before: ProgressRecord['labels'] = {}) {
    this.#counts = new Map(Object.entries(before).map(([label, counts]) => [label, { ...counts }]))
  }

  /** `hop`: pages of the pagination so far, including this one. */
  countUrl(label: string, hop: number): void {
    const counts = this.#of(label)
    counts.found++
    if (hop > 1) counts.next++
  }

  settled({ entry, outcome, extracted }: VisitOutcome, rows: number): void {
    const counts = this.#of(entry.label)
    counts.settled++
    if (outcome === 'fetched' || outcome === 'unchanged') counts.fetched++
    if (extracted) counts.extracted++
    counts.rows += rows
  }

  toRecord(): Readonly<Record<string, LabelCounts>> {
    return Object.fromEntries(this.#counts)
  }

  #of(label: string): Mutable {
    let counts = this.#counts.get(label)
    if (!counts)
      this.#counts.set(
        label,
        (counts = { found: 0, next: 0, settled: 0, fetched: 0, extracted: 0, rows: 0 }),
      )
    return counts
  }
}
