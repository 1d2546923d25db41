import type { Column } from '../../ports/row-work.ts'
import { createExactLines, projector } from './rows.ts'
import type { PartSource, RowWriter } from './format.ts'
import { assembleText, textParts } from './write-text.ts'

/** Opens a writer of array items; see the format `json`. */
export function openJson(columns: readonly Column[]): RowWriter {
  return writerOf(columns, (line, index) => (index === 0 ? '\n' : ',\n') + line)
}

/** Assembles the array. */
export function assembleJson(
  _: readonly Column[],
  parts: PartSource,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return assembleText('[', parts, (rows) => (rows === 0 ? ']' : '\n]'))
}

/** Opens a writer of lines; see the format `jsonl`. */
export function openJsonLines(columns: readonly Column[]): RowWriter {
  return writerOf(columns, (line) => `${line}\n`)
}

/** Assembles the lines. */
export function assembleJsonLines(
  _: readonly Column[],
  parts: PartSource,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return assembleText('', parts, () => '')
}

function writerOf(
  columns: readonly Column[],
  item: (line: string, index: number) => string,
): RowWriter {
  const names = columns.map(({ name }) => name)
  const project = projector(names)
  const exact = createExactLines(names)
  return {
    part: textParts((row, index) => item(JSON.stringify(project(row)), index)),
    lines: textParts((row, index) => item(exact(row), index)),
  }
}
