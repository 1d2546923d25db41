import { isStructure } from '../../../kernel/json.ts'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { ParquetWriter } from 'hyparquet-writer/src/parquet-writer.js'
import type { Json, Row } from '../../../kernel/json.ts'
import type { Column, ExportColumnType } from '../../../ports/row-work.ts'
import { regroup } from '../row-source.ts'
import { createReader } from '../rows.ts'
import type { NotedPart, PartSource, RowWriter } from '../format.ts'
import { cellText } from '../cells.ts'
import { readDate } from '../read-date.ts'

type RowGroupMetadata = ParquetWriter['row_groups'][number]

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** The first bytes of a Parquet file. */
const MAGIC = encoder.encode('PAR1')
const GROUP_ROWS = 10_000
/** Limit for a row group of long texts, in characters. */
const GROUP_CHARACTERS = 4_000_000

/**
 * Opens a writer of Parquet row groups; a part holds one or more.
 *
 * @throws {TypeError} for a value that does not have its column's type, because no reader could use
 *   it
 */
export function openGroups(columns: readonly Column[]): RowWriter {
  const elements = columns.map(({ name, type }) => ({
    name: name.toWellFormed(),
    repetition_type: 'OPTIONAL' as const,
    ...STORAGE[type ?? 'json'].schema,
  }))
  const schema = [{ name: 'rows', num_children: elements.length }, ...elements]
  return {
    part(rows) {
      const bytes = new ByteWriter(65_536)
      const file = new ParquetWriter({ writer: bytes, schema })
      let count = 0
      let group = new RowGroup(columns)
      for (const row of rows) {
        count++
        group.add(row)
        if (!group.isFull) continue
        file.write(group.parts())
        group = new RowGroup(columns)
      }
      if (group.rows > 0) file.write(group.parts())
      return { chunks: [writtenOf(bytes)], rows: count, note: noteOf(file.row_groups) }
    },
    end(parts) {
      const bytes = new ByteWriter(65_536)
      const file = new ParquetWriter({ writer: bytes, createdBy: 'seine', schema })
      for (const { note, at } of parts) {
        for (const group of groupsOf(note, at - MAGIC.length)) {
          file.row_groups.push(group)
          file.num_rows += group.num_rows
        }
      }
      file.finish()
      return { chunks: [writtenOf(bytes)], rows: 0 }
    },
  }
}

/** Assembles the file: the row groups, then the metadata with their positions. */
export function assembleGroups(parts: PartSource): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return regroup(groupsAndEnd(parts))
}

async function* groupsAndEnd(parts: PartSource): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield MAGIC
  const notes: NotedPart[] = []
  let rows = 0
  let index = MAGIC.length
  for (
    let part = await parts.next(0, Infinity);
    part !== null;
    part = await parts.next(rows, Infinity)
  ) {
    rows += part.rows
    if (part.note) notes.push({ note: part.note, at: index })
    for (const chunk of part.chunks) index += chunk.length
    yield* part.chunks
  }
  yield* (await parts.end(notes)).chunks
}

class RowGroup {
  readonly #columns: readonly (Column & { readonly read: ReturnType<typeof createReader> })[]
  readonly #values: readonly unknown[][]
  #characters = 0
  rows = 0

  constructor(columns: readonly Column[]) {
    this.#columns = columns.map((column) => ({ ...column, read: createReader(column.name) }))
    this.#values = columns.map(() => [])
  }

  get isFull(): boolean {
    return this.rows === GROUP_ROWS || this.#characters >= GROUP_CHARACTERS
  }

  add(row: Row): void {
    this.rows++
    for (let index = 0; index < this.#columns.length; index++) {
      const column = this.#columns[index]
      if (column !== undefined)
        this.#values[index]?.push(this.#storedValue(column, column.read(row)))
    }
  }

  parts() {
    const columnData = this.#columns.map(({ name, type }, index) => ({
      name: name.toWellFormed(),
      data: this.#values[index] ?? [],
      statistics: STORAGE[type ?? 'json'].statistics,
      offsetIndex: false,
    }))
    return { columnData, rowGroupSize: this.rows }
  }

  #storedValue({ name, type }: Column, value: Json | undefined): unknown {
    if (value === null || value === undefined) return null
    if (typeof value === 'string') this.#characters += value.length
    else if (typeof value === 'object') this.#characters += JSON.stringify(value).length
    const stored = STORAGE[type ?? 'json'].of(value)
    if (stored === undefined)
      throw new TypeError(
        `A row has a ${typeof value} in the column ${JSON.stringify(name)}, which holds values of type ${type}`,
      )
    return stored
  }
}

/** Returns the bytes that were written after the file's first bytes. */
function writtenOf(bytes: ByteWriter): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.getBytes()).slice(MAGIC.length)
}

/** Metadata members that hold positions in a group, counted from the start of a file. */
const OFFSETS: ReadonlySet<string> = new Set([
  'file_offset',
  'data_page_offset',
  'dictionary_page_offset',
  'index_page_offset',
])

/** Encodes row groups as bytes, which are cheap to pass between threads. */
function noteOf(groups: readonly RowGroupMetadata[]): Uint8Array<ArrayBuffer> {
  return encoder.encode(
    JSON.stringify(groups, (_, value: unknown) =>
      typeof value === 'bigint' ? { bigint: String(value) } : value,
    ),
  )
}

/** Returns the row groups of a part, with their positions shifted by `by` bytes. */
function groupsOf(note: Uint8Array, by: number): RowGroupMetadata[] {
  return JSON.parse(decoder.decode(note), (name, value: unknown) => {
    if (!isStructure(value) || !('bigint' in value)) return value
    return BigInt(String(value.bigint)) + (OFFSETS.has(name) ? BigInt(by) : 0n)
  })
}

/** How a column type is stored in a Parquet file. */
interface ColumnStorage {
  readonly schema: {
    readonly type: 'BYTE_ARRAY' | 'DOUBLE' | 'INT64' | 'BOOLEAN'
    readonly converted_type?: 'UTF8' | 'JSON'
    readonly logical_type?: {
      readonly type: 'TIMESTAMP'
      readonly isAdjustedToUTC: boolean
      readonly unit: 'MILLIS'
    }
  }
  /**
   * True if each row group stores its smallest and largest value, which readers use to skip groups.
   * Long texts are left out: they would stay in memory until the end.
   */
  readonly statistics: boolean
  /** Returns the value to write, or `undefined` if it does not have the type. */
  readonly of: (value: Exclude<Json, null>) => unknown
}

/**
 * Matches each escape as `JSON.stringify` writes it. Half of a surrogate pair is the six-character
 * escape that begins with `\ud`.
 */
const ESCAPE = /\\(?:ud[89a-f][\da-f]{2}|[^])/g

const TEXT: ColumnStorage = {
  schema: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  statistics: false,
  of: cellText,
}

/** Storage of every column type. */
export const STORAGE: Readonly<Record<ExportColumnType, ColumnStorage>> = {
  text: TEXT,
  url: TEXT,
  json: {
    schema: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
    statistics: false,
    of: wellFormed,
  },
  number: {
    schema: { type: 'DOUBLE' },
    statistics: true,
    of: (value) => (typeof value === 'number' ? value : undefined),
  },
  integer: {
    schema: { type: 'INT64' },
    statistics: true,
    of: (value) => (Number.isSafeInteger(value) ? BigInt(Number(value)) : undefined),
  },
  boolean: {
    schema: { type: 'BOOLEAN' },
    statistics: true,
    of: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  date: {
    schema: {
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' },
    },
    statistics: true,
    of: (value) => millis(value),
  },
}

function millis(value: Json): bigint | undefined {
  const date = typeof value === 'string' ? readDate(value) : null
  return date === null ? undefined : BigInt(date.at)
}

/**
 * Returns JSON that every reader accepts. Some readers refuse a whole file because of half a
 * surrogate pair.
 */
function wellFormed(value: Json): Json {
  const text = JSON.stringify(value)
  return text.includes('\\ud')
    ? JSON.parse(text.replace(ESCAPE, (escape) => (escape.startsWith('\\ud') ? '\ufffd' : escape)))
    : value
}
