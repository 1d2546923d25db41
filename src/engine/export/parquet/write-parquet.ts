import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { ParquetWriter } from 'hyparquet-writer/src/parquet-writer.js'
import type { Json, Row } from '../../../kernel/json.ts'
import type { Column } from '../column.ts'
import { regroup } from '../regroup.ts'
import { createReader } from '../create-reader.ts'
import { KEPT } from './values.ts'

const GROUP_ROWS = 10_000
/** Bounds a group of long texts. */
const GROUP_CHARACTERS = 4_000_000

/** Rows as a Parquet file; memory is bounded by one row group. @throws {TypeError} for a value that is not of its column's type, as no reader could make anything of it */
export function writeParquet(batches: AsyncIterable<readonly Row[]>, columns: readonly Column[]): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return regroup(writeGroups(batches, columns))
}

async function* writeGroups(batches: AsyncIterable<readonly Row[]>, columns: readonly Column[]): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const bytes = new ByteWriter(65_536)
  const schema = columns.map(({ name, type }) => ({ name: name.toWellFormed(), repetition_type: 'OPTIONAL' as const, ...KEPT[type ?? 'json'].schema }))
  const file = new ParquetWriter({ writer: bytes, createdBy: 'seine', schema: [{ name: 'rows', num_children: schema.length }, ...schema] })
  let group = new RowGroup(columns)
  for await (const batch of batches) {
    for (const row of batch) {
      group.add(row)
      if (!group.isFull) continue
      file.write(group.parts())
      group = new RowGroup(columns)
      yield taken(bytes)
    }
  }
  if (group.rows > 0) file.write(group.parts())
  file.finish()
  yield taken(bytes)
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
    for (let at = 0; at < this.#columns.length; at++) {
      const column = this.#columns[at]
      if (column !== undefined) this.#values[at]?.push(this.#kept(column, column.read(row)))
    }
  }

  parts() {
    const columnData = this.#columns.map(({ name, type }, at) => ({ name: name.toWellFormed(), data: this.#values[at] ?? [], statistics: KEPT[type ?? 'json'].statistics, offsetIndex: false }))
    return { columnData, rowGroupSize: this.rows }
  }

  #kept({ name, type }: Column, value: Json | undefined): unknown {
    if (value === null || value === undefined) return null
    if (typeof value === 'string') this.#characters += value.length
    else if (typeof value === 'object') this.#characters += JSON.stringify(value).length
    const kept = KEPT[type ?? 'json'].of(value)
    if (kept === undefined) throw new TypeError(`A row has a ${typeof value} in the column ${JSON.stringify(name)}, which holds values of type ${type}`)
    return kept
  }
}

/** What was written since the last time. */
function taken(bytes: ByteWriter): Uint8Array<ArrayBuffer> {
  const written = new Uint8Array(bytes.getBytes())
  bytes.index = 0
  return written
}
