import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import type { Options } from 'csv-stringify'
import { writeXlsxStream } from 'hucre/xlsx'
import { systemClock } from '../../src/defaults/system-clock.ts'
import { createPageThreads } from '../../adapters/node/page-threads.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { formatOf } from '../../src/engine/export/formats.ts'
import { writeRows } from '../../src/engine/export/row-source.ts'
import { createPagesOf } from '../../src/features/ledger/account-plan.ts'
import { exportRows } from '../../src/features/common/export-rows.ts'
import { createShares } from '../../src/features/limits/shares.ts'
import { OPEN_PLAN } from '../../src/features/ledger/plans.ts'
import { RowReader } from '../../src/features/results/row-reader.ts'
import { encodeBody } from '../../src/http/content-coding.ts'
import type { Json } from '../../src/kernel/json.ts'
import { Change } from '../../src/records/change.ts'
import { emptyProgress } from '../../src/features/executions/records.ts'
import { createRecords } from '../../src/features/records.ts'
import { BATCH, NAMES, POOL, TYPES, rowsOf, consumed } from './fixture.ts'

/** The formats of a platform. */
const processor = createPageThreads()
const pagesOf = createPagesOf(
  async () => processor,
  async () => OPEN_PLAN,
)

/** Makes a file of so many rows. */
export type Contender = (rows: number) => AsyncIterable<Uint8Array>

const columns = Object.entries(TYPES).map(([name, type]) => ({ name, type }))
const inFormat =
  (format: string): Contender =>
  (rows) =>
    writeRows(formatOf(format), rowsOf(rows), columns)

/** All contenders, by name. */
export const CONTENDERS: Readonly<Record<string, Contender>> = {
  csv: inFormat('csv'),
  'csv-stringify': (rows) => csvStringify(rows),
  // With the rule of RFC 4180 that it leaves to an option where lines end in two characters.
  'csv-stringify-checked': (rows) => csvStringify(rows, { quoted_match: /[\r\n]/ }),
  'csv-join': joined,
  jsonl: inFormat('jsonl'),
  json: inFormat('json'),
  xml: inFormat('xml'),
  html: inFormat('html'),
  xlsx: inFormat('xlsx'),
  'hucre-xlsx': hucre,
  parquet: inFormat('parquet'),
  'stored-csv': stored('csv'),
  'stored-jsonl': stored('jsonl'),
  'stored-xlsx': stored('xlsx'),
  'stored-parquet': stored('parquet'),
  'stored-csv-gzip': (rows) => gzipped(stored('csv')(rows)),
}

/**
 * The stream of csv-stringify, with the same rules for quotes; it neutralises no formulas by
 * default, and the rows have none.
 */
function csvStringify(rows: number, more: Options = {}): AsyncIterable<Uint8Array> {
  const one = async function* () {
    for await (const batch of rowsOf(rows)) yield* batch
  }
  return Readable.from(one()).pipe(
    stringify({
      header: true,
      columns: NAMES,
      record_delimiter: 'windows',
      cast: { boolean: String, object: (value) => JSON.stringify(value) },
      ...more,
    }),
  )
}

/** hucre's stream of XLSX; dates as text, as the rows have them. */
function hucre(rows: number): AsyncIterable<Uint8Array> {
  const one = async function* () {
    for await (const batch of rowsOf(rows))
      for (const row of batch) yield NAMES.map((name) => scalar(row[name]))
  }
  return writeXlsxStream(one(), { name: 'Rows', columns: NAMES.map((header) => ({ header })) })
}

function scalar(value: Json | undefined): string | number | boolean | null {
  return typeof value === 'object' || value === undefined ? null : value
}

/** The upper limit: values joined unchanged, without quotes, in chunks of the same size. */
async function* joined(rows: number): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let text = `${NAMES.join(',')}\r\n`
  for await (const batch of rowsOf(rows)) {
    for (const row of batch) {
      text +=
        `${row['id']},${row['title']},${row['description']},${row['url']},${row['price']},` +
        `${row['rating']},${row['inStock']},${row['seenAt']},${row['category']},` +
        `${row['city']}\r\n`
      if (text.length < 65_536) continue
      yield encoder.encode(text)
      text = ''
    }
  }
  yield encoder.encode(text)
}

/**
 * The way of an export that is asked for over HTTP: from stored segments, their JSON parsed where
 * it has to be, to a stream.
 */
function stored(format: string): Contender {
  return async function* (rows) {
    const records = createRecords(createMemoryStore())
    const segments = Math.ceil(rows / BATCH)
    for (let index = 0; index < segments; index++) {
      const change = new Change()
      records.segments.put(change, 'a', {
        execution: 'e',
        index,
        blob: String(index % POOL.length),
        rows: BATCH,
        offset: index * BATCH,
      })
      if (index === 0) records.progress.put(change, 'a', { ...emptyProgress('e'), segments })
      await records.commit(change)
    }
    const bytes = POOL.map((batch) =>
      new TextEncoder().encode(batch.map((row, index) => JSON.stringify([index, row])).join('\n')),
    )
    const get = async (name: string) => {
      consumed.rows += BATCH
      return bytes[Number(name)] ?? null
    }
    const blobs = {
      get,
      put: async () => undefined,
      remove: async () => undefined,
      list: async () => [],
      close: async () => undefined,
    }
    const reader = new RowReader(records, blobs, 'a', 'e')
    const shares = createShares(systemClock)
    const { body } = await exportRows({
      account: 'a',
      shares,
      pagesOf,
      format,
      columns: NAMES,
      types: new Map(Object.entries(TYPES)),
      title: '',
      id: 'e',
      blocks: (size) => reader.blocks(size),
    })
    yield* body
  }
}

async function* gzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* (
    encodeBody(
      new Response(Readable.toWeb(Readable.from(chunks)) as ReadableStream),
      new Request('http://host.test/', { headers: { 'Accept-Encoding': 'gzip' } }),
      [''],
    ).body ?? []
  )
}
