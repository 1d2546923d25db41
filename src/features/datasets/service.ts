import { keepsObjects } from '../../engine/export/formats.ts'
import { projector } from '../../engine/export/rows.ts'
import { badRequest, conflict, notFound } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Stored } from '../../records/collection.ts'
import type {
  ChangeKind,
  DatasetRecord,
  DatasetStateRecord,
  GonePolicy,
  Retention,
} from './records.ts'
import { FIRST_LARGE, paginate } from '../../records/paginate.ts'
import { retryOrBusy } from '../../records/retry.ts'
import { chooseColumns, exportRows } from '../common/export-rows.ts'
import type { PagesOf } from '../ledger/account-plan.ts'
import type { ExportFile } from '../common/downloads.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import { readPage, totalOf } from '../common/list-page.ts'
import type { CountedQuery, ListPage, ListQuery } from '../common/list-page.ts'
import { listRecords } from '../common/list-records.ts'
import { byId } from '../common/timed-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import type { LinkBase, Media } from '../media/service.ts'
import {
  emptyState,
  changeOf,
  columnsOf,
  datasetOf,
  itemOf,
  mergesOf,
  originsOf,
} from './dataset.ts'
import type { Dataset, DatasetChange, DatasetItem, DatasetRetention } from './dataset.ts'
import { exportItems, SEEN_COLUMNS } from './export-items.ts'
import { MergeLog, readChanges, readItems, sizeOfItem } from './items.ts'
import type { ItemFilter } from './items.ts'
import type { Core } from '../core.ts'

/** A change of a dataset. Absent members stay unchanged. */
export interface DatasetPatch {
  readonly name?: string
  readonly description?: string
  /** Decides after which runs an item that was not seen counts as gone. Default `complete-runs`. */
  readonly gone?: GonePolicy
  /** True if runs that did not succeed are merged too. Default `false`. */
  readonly mergePartial?: boolean
  /** Replaces the whole retention. Data without a limit is kept for ever. */
  readonly retention?: Partial<DatasetRetention>
}

/** A new dataset. */
export interface DatasetInput extends DatasetPatch {
  readonly name: string
  /** 1–20 columns whose values identify an item. They cannot change later. */
  readonly keyFields: readonly string[]
}

/** Filters of the list of items. */
export interface ItemsQuery extends CountedQuery {
  /** Default `present`. */
  readonly state?: ItemFilter
  /** Columns, in this order. Absent: all. */
  readonly fields?: readonly string[]
  /** True: with `origin` in each item. */
  readonly provenance?: boolean
}

/** A list page of items: present ones in order of id, gone ones in the order they went. */
export interface ItemsPage extends ListPage<DatasetItem> {
  readonly columns: readonly string[]
}

/** Filters of the feed of changes. */
export interface ChangesQuery extends ListQuery {
  readonly kinds?: readonly ChangeKind[]
  /** The start without a cursor: at the oldest stored change (default), or after the last one. */
  readonly from?: 'start' | 'now'
  /** `at` (default): a feed, oldest first. `-at`: newest first, and back to the oldest one stored. */
  readonly sort?: 'at' | '-at'
}

/** A part of the feed of changes, oldest first unless `sort` says otherwise. */
export interface ChangesPage {
  readonly items: readonly DatasetChange[]
  /** Never `null`, unlike a list's cursor: at the end of the feed it waits for later changes. */
  readonly nextCursor: string
  /** False: there are no further changes now. In the order `-at` there never will be. */
  readonly hasMore: boolean
  /** Changes after the cursor that the retention deleted before they were read. */
  readonly missed: number
}

/** Options of an export. */
export interface DatasetExportQuery {
  /** Default `csv`. */
  readonly format?: string
  /**
   * Columns, in this order; also `_firstSeenAt`, `_lastSeenAt`, `_state`. Absent: the columns of
   * the rows.
   */
  readonly fields?: readonly string[]
  /** Default `present`. */
  readonly state?: ItemFilter
}

/**
 * Rows merged by key over the executions of tasks. A dataset of another account is not found.
 * Writes accept {@link Preconditions}.
 */
export interface Datasets {
  /** @throws {PlatformError} 409 if the account has its maximum number of datasets */
  create(principal: Principal, input: DatasetInput, preconditions?: Preconditions): Promise<Dataset>
  /** Newest first. */
  list(principal: Principal, query?: CreatedQuery): Promise<ListPage<Dataset>>
  get(principal: Principal, id: string): Promise<Dataset>
  update(
    principal: Principal,
    id: string,
    patch: DatasetPatch,
    preconditions?: Preconditions,
  ): Promise<Dataset>
  /**
   * Deletes a dataset. Its items and changes are deleted soon afterwards.
   *
   * @throws {PlatformError} 409 while a task refers to it
   */
  delete(
    principal: Principal,
    id: string,
    preconditions?: Preconditions,
  ): Promise<{ readonly id: string; readonly deleted: true }>
  /** @throws {PlatformError} 400 for an unknown field; the message lists the known ones */
  items(principal: Principal, id: string, query?: ItemsQuery, base?: LinkBase): Promise<ItemsPage>
  changes(principal: Principal, id: string, query?: ChangesQuery): Promise<ChangesPage>
  /** @throws {PlatformError} 400 for an unknown field or format; the message lists the known ones */
  export(
    principal: Principal,
    id: string,
    query?: DatasetExportQuery,
    base?: LinkBase,
  ): Promise<ExportFile>
}

/** The service of datasets. */
export function createDatasets(core: Core, media: Media, pagesOf: PagesOf): Datasets {
  const { records, holdings, shares, cursors, ids, clock } = core
  const find = async (
    account: string,
    id: string,
  ): Promise<{ dataset: Stored<DatasetRecord>; state: DatasetStateRecord }> => {
    const [dataset, state] = await Promise.all([
      records.datasets.get(account, id),
      records.datasetStates.get(account, id),
    ])
    if (!dataset || !state) throw notFound('Dataset')
    return { dataset, state: state.value }
  }
  const startRetention = (
    change: Change,
    account: string,
    { id, retentionSince }: DatasetRecord,
  ) => {
    if (retentionSince === null) return
    records.outbox.put(change, SYSTEM, {
      id: `retention:${id}:${retentionSince}`,
      kind: 'retention',
      data: { account, dataset: id, since: String(retentionSince) },
      at: 0,
    })
  }
  return {
    async create({ account }, input, preconditions) {
      const now = clock.now()
      const retention = retentionOf(input.retention)
      const dataset: DatasetRecord = {
        id: ids('ds'),
        name: input.name,
        description: input.description ?? '',
        keyFields: input.keyFields,
        keyDigest: 'sha256',
        gone: input.gone ?? 'complete-runs',
        mergePartial: input.mergePartial ?? false,
        retention,
        retentionSince: isForEver(retention) ? null : now,
        createdAt: now,
        updatedAt: now,
      }
      const state = emptyState(dataset.id)
      const data = datasetOf(dataset, state)
      return holdings.retry(account, 'datasets', 'The account', async () => {
        const change = new Change()
        await (await holdings.open(account, 'datasets')).add(change, 1)
        records.datasets.insert(change, account, dataset)
        records.datasetStates.put(change, account, state)
        startRetention(change, account, dataset)
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      })
    },

    list: ({ account }, query = {}) =>
      listRecords(core, {
        account,
        operation: 'datasets.list',
        query,
        source: {
          collection: records.datasets,
          keys: byId('ds'),
          timeOf: ({ createdAt }) => createdAt,
        },
        async show(items) {
          const states = await records.datasetStates.getMany(
            account,
            items.map(({ id }) => [id]),
          )
          return items.map((dataset, i) =>
            datasetOf(dataset, states[i]?.value ?? emptyState(dataset.id)),
          )
        },
      }),

    async get({ account }, id) {
      const { dataset, state } = await find(account, id)
      return datasetOf(dataset.value, state)
    },

    async update({ account }, id, { retention, ...patch }, preconditions) {
      return retryOrBusy('The dataset', async () => {
        const { dataset: old, state } = await find(account, id)
        preconditions?.expect(datasetOf(old.value, state))
        // The time always grows, even if the clock does not, because it names the job that applies
        // the retention.
        const now = Math.max(clock.now(), old.value.updatedAt + 1)
        const newRetention = retention && retentionOf(retention)
        const dataset: DatasetRecord = {
          ...old.value,
          ...patch,
          ...(newRetention && {
            retention: newRetention,
            retentionSince: isForEver(newRetention) ? null : now,
          }),
          updatedAt: now,
        }
        const change = new Change()
        records.datasets.update(change, account, old, dataset)
        if (newRetention) startRetention(change, account, dataset)
        const data = datasetOf(dataset, state)
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      })
    },

    async delete({ account }, id, preconditions) {
      return holdings.retry(account, 'datasets', 'The dataset', async () => {
        const { dataset, state } = await find(account, id)
        preconditions?.expect(datasetOf(dataset.value, state))
        // If a caller links a task to the dataset meanwhile, it also writes the dataset, so the
        // commit below fails.
        if (
          (await records.tasks.listIds('dataset', account, { within: [id], limit: 1 })).length > 0
        )
          throw conflict('A task merges its rows into the dataset; change or delete the task first')
        const change = new Change()
        await (await holdings.open(account, 'datasets')).add(change, -1)
        records.datasets.remove(change, account, dataset)
        records.datasetStates.drop(change, account, id)
        records.outbox.put(change, SYSTEM, {
          id: `dataset-erase:${id}`,
          kind: 'dataset-erase',
          data: { account, dataset: id },
          at: 0,
        })
        const data = { id, deleted: true } as const
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      })
    },

    async items({ account }, id, query = {}, base) {
      const { dataset, state } = await find(account, id)
      const columns = chooseColumns(columnsOf(dataset.value, state), query.fields)
      const filter = query.state ?? 'present'
      const log = new MergeLog(records, account, id)
      const page = await readPage(
        cursors,
        { account, operation: 'datasets.items', filter: [id, filter, query.fields ?? null] },
        query,
        async (after, limit) => {
          const read = await paginate({
            account,
            read: readItems(records, account, id, filter),
            after,
            limit,
            firstRead: FIRST_LARGE,
            sizeOf: sizeOfItem,
          })
          await log.learn(read.items.flatMap(mergesOf))
          const origins = query.provenance ? await originsOf(records, account, read.items, log) : []
          const project = projector(columns)
          const values = await media.linkRows(
            account,
            read.items.map(({ stored }) => project(stored.value.values)),
            state.media ?? [],
            { base },
          )
          return {
            items: read.items.map((item, i) => {
              const origin = origins[i]
              return { ...itemOf(item, values[i] ?? {}, log), ...(origin && { origin }) }
            }),
            next: read.next,
          }
        },
      )
      const totals = { present: state.present, gone: state.gone, all: state.present + state.gone }
      return { ...page, ...totalOf(query, totals[filter]), columns }
    },

    async changes({ account }, id, query = {}) {
      const { dataset, state } = await find(account, id)
      const kinds = query.kinds && new Set(query.kinds)
      const reverse = query.sort === '-at'
      const context = {
        account,
        operation: 'datasets.changes',
        // Cursors of the feed have the same form as before the other order existed.
        filter: [id, kinds ? [...kinds].toSorted() : null, ...(reverse ? ['-at'] : [])],
      }
      if (reverse && query.from !== undefined)
        throw badRequest([{ path: 'from', message: 'is for the feed: leave out `sort=-at`' }])
      const first = query.from === 'now' ? state.sequence : state.forgotten
      const begin = reverse ? state.sequence + 1 : first
      let missed = 0
      let hasMore = true
      const page = await readPage(cursors, context, query, async (after, limit) => {
        const position = after ? Number(after[0]) : begin
        missed = reverse ? 0 : Math.max(0, state.forgotten - position)
        const { changes, next, isEnd } = await readChanges(
          records,
          account,
          id,
          position,
          limit,
          kinds ?? null,
          reverse,
        )
        hasMore = !isEnd && next !== (reverse ? state.forgotten + 1 : state.sequence)
        const log = new MergeLog(records, account, id)
        await log.learn(changes.map(({ merge }) => merge))
        return {
          items: changes.map((change) => changeOf(change, dataset.value, log)),
          next: [next],
        }
      })
      return { items: page.items, nextCursor: page.nextCursor ?? '', hasMore, missed }
    },

    async export({ account }, id, { format, fields, state: filter = 'present' } = {}, base) {
      const { dataset, state } = await find(account, id)
      const own = columnsOf(dataset.value, state)
      const beside = new Map([...SEEN_COLUMNS].filter(([name]) => !own.includes(name)))
      const columns = fields === undefined ? own : chooseColumns([...own, ...beside.keys()], fields)
      const paths = (state.media ?? []).filter(([column = '']) => columns.includes(column))
      return exportRows({
        account,
        shares,
        pagesOf,
        format,
        columns,
        types: beside,
        title: dataset.value.name,
        id,
        blocks: (size) => exportItems(records, account, id, filter, columns, size),
        member: 'values',
        ...(paths.length > 0 && {
          media: {
            paths,
            flat: !keepsObjects(format),
            sign: (targets) => media.sign(account, targets, base),
          },
        }),
      })
    },
  }
}

function retentionOf({ changesDays, goneDays }: Partial<DatasetRetention> = {}): Retention {
  return { ...(changesDays && { changesDays }), ...(goneDays && { goneDays }) }
}

function isForEver({ changesDays, goneDays }: Retention): boolean {
  return changesDays === undefined && goneDays === undefined
}
