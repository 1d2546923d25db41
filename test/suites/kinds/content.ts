import { isObject } from '../../../src/kernel/json.ts'
import { blanks } from '../compare.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { htmlPage, rowsOf } from '../page.ts'
import type { Case, Counts, Kind, Outcome } from '../suite.ts'

/** The main text of a page, and its metadata. */
export const contentKinds: Readonly<Record<string, Kind>> = {
  'content-segments': { judge: judgeSegments, figure: segmentFigure },
  'content-text': { judge: judgeText, figure: textFigure },
  metadata: { judge: judgeMetadata, figure: metadataFigure },
}

async function formatOf(one: Case, format: string): Promise<Json> {
  const [row] = await rowsOf({ formats: [format] }, htmlPage(one))
  return row?.[format] ?? null
}

async function mainText(one: Case): Promise<string> {
  const text = await formatOf(one, 'text')
  return typeof text === 'string' ? text : ''
}

async function judgeSegments(one: Case): Promise<Outcome> {
  const text = blanks(await mainText(one))
  const has = (segment: string): boolean => text.includes(blanks(segment))
  const [expected, unwanted] = [one.texts('with'), one.texts('without')]
  const right = expected.filter(has).length
  const wrong = unwanted.filter(has).length
  return {
    passed: right === expected.length && wrong === 0,
    counts: { right, wrong, missed: expected.length - right },
  }
}

function segmentFigure({ right = 0, wrong = 0, missed = 0 }: Counts): string {
  return precisionRecall(right / (right + wrong), right / (right + missed))
}

const MOST_ALIKE = 0.95

async function judgeText(one: Case): Promise<Outcome> {
  const [text, expected] = [words(await mainText(one)), words(one.text('text'))]
  const left = new Map<string, number>()
  for (const word of expected) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of text) {
    const count = left.get(word) ?? 0
    if (count > 0) {
      common++
      left.set(word, count - 1)
    }
  }
  const precision = text.length === 0 ? 0 : common / text.length
  const recall = expected.length === 0 ? 0 : common / expected.length
  const f = harmonic(precision, recall)
  return { passed: f >= MOST_ALIKE, counts: { precision, recall, f } }
}

function textFigure({ precision = 0, recall = 0, f = 0 }: Counts, cases: number): string {
  return `P ${shown(precision / cases)} R ${shown(recall / cases)} F ${shown(f / cases)}`
}

function words(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

const FIELDS = ['title', 'author', 'date', 'site', 'description', 'language']

async function judgeMetadata(one: Case): Promise<Outcome> {
  const read = await formatOf(one, 'metadata')
  const counts: Record<string, number> = {}
  let passed = true
  for (const field of FIELDS) {
    const expected = one.value(field)
    if (typeof expected !== 'string') continue
    const value = isObject(read) ? (read[field] ?? null) : null
    const isHit = typeof value === 'string' && agrees(field, value, expected)
    counts[`${field} of`] = 1
    counts[field] = isHit ? 1 : 0
    passed &&= isHit
  }
  return { passed, counts }
}

function metadataFigure(sums: Counts): string {
  return FIELDS.filter((field) => sums[`${field} of`] !== undefined)
    .map((field) => `${field} ${sums[field] ?? 0}/${sums[`${field} of`] ?? 0}`)
    .join(', ')
}

function agrees(field: string, value: string, expected: string): boolean {
  if (field === 'date') return value.slice(0, 10) === expected.slice(0, 10)
  if (field === 'language') return subtag(value) === subtag(expected)
  const [one, other] = [plain(value), plain(expected)]
  return (
    one === other || (one !== '' && other !== '' && (one.includes(other) || other.includes(one)))
  )
}

function subtag(language: string): string {
  return language.split(/[-_]/, 1)[0]?.toLowerCase() ?? ''
}

/** A text without its white space, case, and kinds of quotes and dashes. */
function plain(text: string): string {
  return blanks(text)
    .toLowerCase()
    .replaceAll(/[\u2018\u2019\u201a\u201b`´]/g, "'")
    .replaceAll(/[\u201c\u201d\u201e\u201f«»]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
}

function precisionRecall(precision: number, recall: number): string {
  return `P ${shown(precision)} R ${shown(recall)} F ${shown(harmonic(precision, recall))}`
}

function harmonic(one: number, other: number): number {
  return one + other === 0 ? 0 : (2 * one * other) / (one + other)
}

function shown(share: number): string {
  return share.toFixed(3)
}
