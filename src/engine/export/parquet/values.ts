import type { Json } from '../../../kernel/json.ts'
import { cellText } from '../cell-text.ts'
import type { ColumnType } from '../../../ports/row-work.ts'
import { readDate } from '../read-date.ts'

/** How a type of column is kept in a Parquet file. */
export interface Kept {
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
   * Smallest and largest value of each row group, which readers skip groups by; of long texts they
   * would stay in memory to the end.
   */
  readonly statistics: boolean
  /** The value to write; `undefined` where it is none of the type. */
  readonly of: (value: Exclude<Json, null>) => unknown
}

/**
 * Each escape as `JSON.stringify` writes it, of which half of a surrogate pair is the one of six
 * characters that begins with `\ud`.
 */
const ESCAPE = /\\(?:ud[89a-f][\da-f]{2}|[^])/g

const TEXT: Kept = {
  schema: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  statistics: false,
  of: cellText,
}

/** Every type of column. */
export const KEPT: Readonly<Record<ColumnType, Kept>> = {
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

/** JSON that every reader takes: some refuse a whole file for half of a surrogate pair. */
function wellFormed(value: Json): Json {
  const text = JSON.stringify(value)
  return text.includes('\\ud')
    ? JSON.parse(text.replace(ESCAPE, (escape) => (escape.startsWith('\\ud') ? '\ufffd' : escape)))
    : value
}
