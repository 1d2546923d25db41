import { switchedOff } from '../../kernel/errors.ts'
import type { PartSize } from '../../engine/export/format.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { RowBlock } from '../../ports/row-work.ts'
import type { Paginated } from '../../records/paginate.ts'
import { BlockBuilder } from '../common/block-builder.ts'
import { exportRows } from '../common/export-rows.ts'
import type { ExportFile } from '../common/downloads.ts'
import type { ListPage } from '../common/list-page.ts'
import { listRecords } from '../common/list-records.ts'
import { byId, pageOfRecords } from '../common/timed-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import type { TimedRecords } from '../common/timed-records.ts'
import { rangeOf } from '../common/time-range.ts'
import type { RangeQuery } from '../common/time-range.ts'
import { isoTime } from '../common/time.ts'
import type { Core } from '../core.ts'
import type { PagesOf } from '../ledger/account-plan.ts'
import type { AuditRecord } from './records.ts'
import type { AuditLogEntry } from './answers.ts'

/** Filters of the audit log. All conditions must hold. */
export interface AuditFilter extends RangeQuery {
  /** An operation, such as `tasks.create`. */
  readonly operation?: string
  readonly user?: string
  readonly keyId?: string
  readonly subjectId?: string
}

/**
 * The log of the writes that an account's callers requested over HTTP. If the platform keeps no
 * log, the answer is 404, because an empty list would mean that nothing was written.
 */
export interface Audit {
  /** Newest first, unless `sort` says otherwise. */
  list(principal: Principal, query?: AuditFilter & CreatedQuery): Promise<ListPage<AuditLogEntry>>
  /** All entries as a file, newest first. */
  export(
    principal: Principal,
    query?: AuditFilter & { readonly format?: string },
  ): Promise<ExportFile>
}

const COLUMNS = [
  'id',
  'at',
  'operation',
  'subjectId',
  'user',
  'keyId',
  'ip',
  'requestId',
  'status',
  'code',
] as const satisfies readonly (keyof AuditLogEntry)[]
const EXPORT_PAGE = 250
const encoder = new TextEncoder()

/** The service of the audit log. */
export function createAudit(core: Core, pagesOf: PagesOf, isOn: boolean): Audit {
  const { records, shares } = core
  const source: TimedRecords<AuditRecord> = {
    collection: records.audits,
    keys: byId('aud'),
    timeOf: ({ at }) => at,
  }
  const demandOn = (): void => {
    if (!isOn) throw switchedOff([], 'The log of writes is not kept here')
  }
  const keepOf =
    ({ operation, user, keyId, subjectId }: AuditFilter) =>
    (entry: AuditRecord): boolean =>
      (operation ?? entry.operation) === entry.operation &&
      (user ?? entry.user) === entry.user &&
      (keyId ?? entry.key) === entry.key &&
      (subjectId ?? entry.subject) === entry.subject
  async function* blocks(
    account: string,
    filter: AuditFilter,
    size: PartSize,
  ): AsyncGenerator<RowBlock> {
    const block = new BlockBuilder(size)
    const range = rangeOf(filter)
    let position: Paginated<unknown>['next'] = null
    do {
      const page: Paginated<AuditRecord> = await pageOfRecords(account, source, {
        range,
        after: position,
        limit: EXPORT_PAGE,
        keep: keepOf(filter),
      })
      for (const entry of page.items) {
        block.take(encoder.encode(`${JSON.stringify([0, entryOf(entry)])}\n`), 0)
        if (block.isFull) yield block.build()
      }
      position = page.next
    } while (position !== null)
    if (block.rows > 0) yield block.build()
  }
  return {
    async list({ account }, query = {}) {
      demandOn()
      const { operation, user, keyId, subjectId } = query
      const filter = [operation, user, keyId, subjectId].map((value) => value ?? null)
      return listRecords(core, {
        account,
        operation: 'audit.list',
        query,
        filter,
        source,
        ...(filter.some((value) => value !== null) && { keep: keepOf(query) }),
        show: (items) => items.map(entryOf),
      })
    },

    async export({ account }, { format, ...filter } = {}) {
      demandOn()
      rangeOf(filter)
      return exportRows({
        account,
        shares,
        pagesOf,
        format,
        columns: COLUMNS,
        types: new Map([['at', 'date']]),
        title: 'audit',
        id: 'audit',
        blocks: (size) => blocks(account, filter, size),
      })
    },
  }
}

function entryOf({ subject, key, at, ...rest }: AuditRecord): AuditLogEntry {
  return { ...rest, at: isoTime(at), subjectId: subject, keyId: key }
}
