import fc from 'fast-check'
import type { Column, ExportColumnType } from '../../../src/ports/row-work.ts'
import { noteTypes } from '../../../src/engine/export/infer-columns.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { codePoint } from '../../support/any-text.ts'

/** Batches of rows like those of the row reader. */
export async function* batches<T>(all: readonly (readonly T[])[]): AsyncGenerator<readonly T[]> {
  for (const batch of all) yield batch
}

/** Columns of these names, with types where `types` has them. */
export function columnsOf(
  names: readonly string[],
  types: Readonly<Record<string, ExportColumnType>> = {},
): Column[] {
  return names.map((name) => ({
    name,
    type: Object.hasOwn(types, name) ? (types[name] ?? null) : null,
  }))
}

/** The columns with every type known: a type that is not stated is inferred from all values. */
export async function inferColumns(
  rows: AsyncIterable<readonly Row[]>,
  columns: readonly Column[],
): Promise<readonly Column[]> {
  const open = columns.filter(({ type }) => type === null).map(({ name }) => name)
  const types = new Map<string, ExportColumnType>()
  for await (const batch of rows) for (const row of batch) noteTypes(types, open, row)
  return columns.map(({ name, type }) => ({ name, type: type ?? types.get(name) ?? 'text' }))
}

/** All chunks as one text. */
export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

/** All chunks as one array of bytes. */
export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return new Uint8Array(Buffer.concat(parts))
}

/** Text with everything that some format could misread. */
export const hostileText = fc.oneof(
  fc.string(),
  fc.string({ unit: codePoint }),
  fc.string({
    unit: fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      '\t',
      '\r',
      '\n',
      '"',
      ',',
      ';',
      '＝',
      '＠',
      '\u00a0',
      '\u200b',
      "'",
      ' ',
      '1',
      '.',
      'e',
      'é',
      '😀',
      '<',
      '>',
      '&',
      ']]>',
      '\0',
      '\u0001',
      '\u001f',
      '\u007f',
      '\u0085',
      '\u2028',
      '\ufeff',
      '\ufffe',
      '\uffff',
      '\ud800',
      '\udc00',
      '_x0041_',
      '_',
      '{',
      '}',
      ':',
      '\\',
    ),
  }),
)

/** Any value that JSON has. */
export const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  hostileText,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue().map((json): Json => JSON.parse(JSON.stringify(json))),
)

/** Unusual names of columns. */
export const hostileNames = fc.uniqueArray(
  fc
    .oneof(
      hostileText,
      fc.constantFrom(
        'a',
        'title',
        'xml',
        'Xmlns',
        'field',
        'row',
        '1st',
        'a b',
        'größe',
        '价格',
        'constructor',
        'name="x"',
        'a:b',
        '-',
        '.',
      ),
    )
    .filter((name) => name !== '' && name !== '__proto__'),
  { minLength: 1, maxLength: 5, selector: (name) => name.toWellFormed() },
)

/** Columns, and rows of any values in them. */
export const hostileTable: fc.Arbitrary<{ names: string[]; rows: Row[] }> = fc
  .tuple(
    hostileNames,
    fc.array(fc.array(hostileValue, { minLength: 5, maxLength: 5 }), { maxLength: 12 }),
  )
  .map(([names, cells]) => ({
    names,
    rows: cells.map((values) =>
      Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
    ),
  }))
