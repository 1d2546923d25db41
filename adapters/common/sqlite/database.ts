import { isList } from '../../../src/kernel/json.ts'

/** A value of a column or of a parameter. */
export type SqlValue = string | number | bigint | null | Uint8Array

/**
 * A row in the driver's form: by column names. It is a list if this was requested and the driver
 * supports it.
 */
export type SqlRow = Readonly<Record<string, unknown>> | readonly unknown[]

/** A prepared statement of {@link SqliteDatabase}. */
export interface SqliteStatement {
  get(...values: SqlValue[]): SqlRow | null | undefined
  all(...values: SqlValue[]): readonly SqlRow[]
  run(...values: SqlValue[]): { readonly changes: number | bigint }
  /** Returns rows as lists from now on, which is faster. Absent if the driver cannot do this. */
  setReturnArrays?(enabled: boolean): void
}

/**
 * A SQLite database, as the store uses it, with any driver: `node:sqlite`, `bun:sqlite`, or the
 * storage of a Durable Object.
 */
export interface SqliteDatabase {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

/** The columns of a row in their order. */
export function columnsOf(row: SqlRow): readonly unknown[] {
  return isList(row) ? row : Object.values(row)
}

/** A column of a row that is keyed by names. */
export function columnOf(row: SqlRow | null | undefined, name: string): unknown {
  return row && !isList(row) ? row[name] : undefined
}
