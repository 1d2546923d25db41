import { priceOf } from '../../kernel/price.ts'
import type { PriceTable } from '../../kernel/price.ts'
import type { EntryKind, LedgerEntry } from '../ledger/records.ts'
import { eachFew } from '../../records/paginate.ts'
import type { ProgressRecord } from '../executions/records.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import type { ListPage } from '../common/list-page.ts'
import { listRecords } from '../common/list-records.ts'
import { BY_MONTH } from '../common/timed-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import { timeOfEntry } from './entries.ts'
import type { Core } from '../core.ts'

/** A line of an account's activity, for people. All entries of an execution are one line. */
export interface Activity {
  /** Id of the line's first entry. */
  readonly id: string
  /** For an execution: when it began. */
  readonly at: string
  readonly type: 'execution' | Exclude<EntryKind, 'reserve' | 'settle' | 'release'>
  /** Text for people. */
  readonly text: string
  /** Credits added to the account. Negative: credits spent. */
  readonly credits: number
  readonly executionId: string | null
  readonly taskId: string | null
  /** Set for an execution. */
  readonly execution: {
    readonly status: 'running' | 'finished'
    /** The most that it could cost. */
    readonly reserved: number
    readonly spent: number
    /** Number of pages that cost something. `null`: its receipt was deleted. */
    readonly pages: number | null
    readonly endedAt: string | null
  } | null
}

const TEXTS: Readonly<Record<EntryKind, string>> = {
  grant: 'Credits of the plan',
  top_up: 'Top-up',
  refund: 'Refund',
  expire: 'Expired',
  adjust: 'Adjustment',
  reserve: 'Execution',
  settle: 'Execution',
  release: 'Execution',
  fetch: 'Page fetched by an agent',
}

/** Reads one list page of an account's activity, newest first unless `sort` says otherwise. */
export function readActivity(
  core: Core,
  account: string,
  query: CreatedQuery,
): Promise<ListPage<Activity>> {
  return listRecords(core, {
    account,
    operation: 'billing.activity',
    query,
    source: {
      collection: core.records.ledger,
      index: 'activity',
      keys: BY_MONTH,
      timeOf: timeOfEntry,
    },
    async show(items) {
      const lines = await executionsOf(core, account, items)
      return items.map((entry) => lines.get(entry.id) ?? lineOf(entry))
    },
  })
}

/**
 * Builds the lines of the executions among the entries. The key of each is the first entry of its
 * line.
 */
async function executionsOf(
  { records, tariff: { prices } }: Core,
  account: string,
  entries: readonly LedgerEntry[],
): Promise<Map<string, Activity>> {
  const reserves = entries.flatMap((entry) =>
    entry.kind === 'reserve' && entry.execution !== null
      ? [{ ...entry, execution: entry.execution }]
      : [],
  )
  const ids = reserves.map(({ execution }) => [execution])
  const [holds, progress, causes] = await Promise.all([
    records.holds.getMany(account, ids),
    records.progress.getMany(account, ids),
    records.causes.getMany(
      account,
      reserves.map(({ execution }) => [`${execution}:release`]),
    ),
  ])
  const [endings, names] = [new Map<string, number | null>(), new Map<string, string>()]
  for await (const { value } of eachFew(records.executions, account, ids))
    endings.set(value.id, value.finishedAt)
  for await (const { value } of eachFew(
    records.tasks,
    account,
    [...new Set(reserves.map(({ task }) => task ?? ''))].map((id) => [id]),
  ))
    names.set(value.id, value.name)
  const released = await records.ledger.getMany(
    account,
    causes.map((cause) => (cause ? [cause.value.period, cause.value.entry] : [''])),
  )
  return new Map(
    reserves.map(({ id, at, execution, task, moves }, n): [string, Activity] => {
      const [counted, release, isRunning] = [
        progress[n]?.value ?? null,
        released[n]?.value ?? null,
        Boolean(holds[n]),
      ]
      const reserved = moves.held ?? 0
      const spent = isRunning ? (counted?.credits ?? 0) : reserved - (release?.moves.wallet ?? 0)
      const pages = counted && paidPages(counted, prices)
      const name = names.get(task ?? '') ?? 'Execution'
      const on = pages === null ? '' : ` on ${countOf(pages, 'page')}`
      const text = isRunning
        ? `${name}: has spent ${countOf(spent, 'credit')}${on} so far, of up to ${reserved}`
        : `${name}: spent ${countOf(spent, 'credit')}${on}`
      const endedAt = isRunning
        ? null
        : isoTimeOrNull(endings.get(execution) ?? release?.at ?? null)
      return [
        id,
        {
          id,
          at: isoTime(at),
          type: 'execution',
          text,
          credits: 0 - spent,
          executionId: execution,
          taskId: task,
          execution: {
            status: isRunning ? 'running' : 'finished',
            reserved,
            spent,
            pages,
            endedAt,
          },
        },
      ]
    }),
  )
}

function lineOf({ id, at, kind, moves, execution, task, note }: LedgerEntry): Activity {
  const type = kind === 'reserve' || kind === 'settle' || kind === 'release' ? 'execution' : kind
  const credits = moves.wallet ?? 0
  const amount = `${TEXTS[kind]}: ${credits > 0 ? '+' : ''}${countOf(credits, 'credit')}`
  return {
    id,
    at: isoTime(at),
    type,
    text: note === undefined ? amount : `${amount} (${note})`,
    credits,
    executionId: execution,
    taskId: task,
    execution: null,
  }
}

function paidPages({ outcomes, model }: ProgressRecord, prices: PriceTable): number {
  const read =
    priceOf('fetched', prices, { modelled: true }) > priceOf('fetched', prices)
      ? (model?.pages ?? 0)
      : 0
  const pages = Object.entries(outcomes).reduce(
    (sum, [outcome, count]) => sum + (priceOf(outcome, prices) > 0 ? count : 0),
    0,
  )
  // Kept pages cost nothing, except their reading by a model.
  return Math.max(pages, read)
}

function countOf(amount: number, what: string): string {
  return `${amount} ${what}${Math.abs(amount) === 1 ? '' : 's'}`
}
