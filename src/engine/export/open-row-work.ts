import type { Row } from '../../kernel/json.ts'
import { keyOf, linkMedia, mediaTargets } from '../media/link-media.ts'
import type {
  AnswerRows,
  Column,
  ExportColumnType,
  NamedRows,
  RowsAnswers,
  RowsQuestion,
  RowsSpec,
} from '../../ports/row-work.ts'
import type { RowWriter } from './format.ts'
import { formatOf } from './formats.ts'
import { noteTypes } from './infer-columns.ts'
import { rowsOf, textsOf } from './row-lines.ts'

/** Dependencies for converting a block. */
interface Work {
  readonly spec: RowsSpec
  readonly writer: RowWriter
}

/**
 * Prepares a format to convert stored rows, on the calling thread. Page threads call this, and so
 * does a platform without threads.
 *
 * @example
 *   const answer = await openRowWork({ format: 'csv', columns: [{ name: 'price', type: 'number' }] })
 */
export async function openRowWork(spec: RowsSpec): Promise<AnswerRows> {
  const work: Work = { spec, writer: await formatOf(spec.format).open(spec.columns) }
  return async (question) => answer(work, question)
}

function answer(work: Work, question: RowsQuestion): NamedRows {
  const { spec, writer } = work
  switch (question.ask) {
    case 'types':
      return { types: typesOf(rowsOf(question.block.body, spec.member), spec.columns) }
    case 'media':
      return {
        media: mediaTargets(rowsOf(question.block.body, spec.member), spec.media?.paths ?? []),
      }
    case 'part':
      return { part: partOf(work, question) }
    case 'end':
      return { end: writer.end?.(question.parts) ?? { chunks: [], rows: 0 } }
  }
}

function partOf(
  { spec: { media, member, beside = false }, writer }: Work,
  { block, first, links }: Extract<RowsQuestion, { ask: 'part' }>,
): RowsAnswers['part'] {
  if (media !== undefined) {
    const urls = new Map(links?.map(([target, url]) => [keyOf(target), url]))
    return writer.part(linkedRows(rowsOf(block.body, member), media, urls), first)
  }
  const isRow = member === undefined && !beside
  const whole = isRow ? writer.lines?.(textsOf(block.body), first) : undefined
  return whole ?? writer.part(rowsOf(block.body, member), first)
}

function* linkedRows(
  rows: Iterable<Row>,
  { paths, flat }: NonNullable<RowsSpec['media']>,
  urls: ReadonlyMap<string, string>,
): Generator<Row> {
  for (const row of rows) yield linkMedia(row, paths, urls, flat)
}

function typesOf(
  rows: Iterable<Row>,
  columns: readonly Column[],
): Readonly<Record<string, ExportColumnType>> {
  const open = columns.filter(({ type }) => type === null).map(({ name }) => name)
  const types = new Map<string, ExportColumnType>()
  for (const row of rows) noteTypes(types, open, row)
  return Object.fromEntries(types)
}
