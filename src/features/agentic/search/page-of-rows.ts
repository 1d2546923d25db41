import { isObject } from '../../../kernel/json.ts'
import type { Json, Row } from '../../../kernel/json.ts'

const LONGEST = 8_000
const TITLES = ['title', 'name', 'headline']
/** Texts of a whole page, the best first: one says what the others do. */
const TEXTS = ['markdown', 'text', 'article']
/** What is written for machines. */
const LEFT_OUT = new Set([...TEXTS, 'html', 'links', 'structured', 'screenshot', 'metadata'])

/** What an execution has taken from a page, as text to find it by. Null where it has taken none. */
export function pageOfRows(
  rows: readonly Row[],
): { readonly title: string | null; readonly text: string } | null {
  let text = ''
  for (const row of rows) {
    if (text.length > LONGEST) break
    text += `${textOfRow(row)}\n`
  }
  if (text.trim() === '') return null
  return { title: titleOf(rows), text: text.slice(0, LONGEST) }
}

function titleOf(rows: readonly Row[]): string | null {
  const [row] = rows
  if (row === undefined || rows.length > 1) return null
  for (const source of [row, row['metadata'], row['article']]) {
    for (const name of TITLES) {
      const title = isObject(source) && Object.hasOwn(source, name) ? source[name] : null
      if (typeof title === 'string' && title.trim() !== '') return title.trim()
    }
  }
  return null
}

function textOfRow(row: Row): string {
  const parts: string[] = []
  for (const [column, value] of Object.entries(row)) if (!LEFT_OUT.has(column)) gather(value, parts)
  const whole = TEXTS.map((column) => row[column]).find(
    (value) => value !== undefined && value !== null,
  )
  if (whole !== undefined) gather(isObject(whole) ? (whole['text'] ?? null) : whole, parts)
  return parts.join('\n')
}

function gather(value: Json, parts: string[]): void {
  if (parts.length > 2_000) return
  if (typeof value === 'string') {
    if (value.trim() !== '' && !/^https?:\/\/\S+$/.test(value)) parts.push(value)
  } else if (typeof value === 'number') parts.push(String(value))
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) gather(one, parts)
}
