/**
 * What a column holds besides `null`: `date` is ISO 8601 as recipes write it, `json` a list, an object, or values of several
 * kinds. `null`: not known before the values are.
 */
export type ColumnType = 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'url' | 'json'

/** A column of an export. */
export interface Column {
  readonly name: string
  readonly type: ColumnType | null
}
