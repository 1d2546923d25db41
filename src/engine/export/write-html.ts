import type { Json, Row } from '../../kernel/json.ts'
import { cellText, numberText } from './cells.ts'
import type { Column } from '../../ports/row-work.ts'
import { createReader } from './rows.ts'
import type { PartSource, RowWriter } from './format.ts'
import { assembleText, textParts } from './write-text.ts'
import { xmlText } from './xml-text.ts'

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>Rows</title>
<style>
body { margin: 1rem; font: 14px/1.4 system-ui, sans-serif; color: #1b1b1b; background: #fff }
table { border-collapse: collapse }
th, td {
padding: .3rem .6rem; border: 1px solid #d5d5d5; text-align: start; vertical-align: top;
white-space: pre-wrap; overflow-wrap: anywhere; max-width: 40rem
}
th { position: sticky; top: 0; background: #f2f2f2 }
.n { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap }
tbody tr:nth-child(even) { background: #fafafa }
</style>
</head>
<body>
<table>
`

/** Opens a writer of table rows; see the format `html`. */
export function openHtml(columns: readonly Column[]): RowWriter {
  const cells = columns.map(({ name, type }) => ({ read: createReader(name), type }))
  const rowText = (row: Row): string => {
    let text = '<tr>'
    for (const { read, type } of cells) text += cell(read(row), type)
    return `${text}</tr>\n`
  }
  return { part: textParts(rowText) }
}

/** Assembles the page. */
export function assembleHtml(
  columns: readonly Column[],
  parts: PartSource,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  const head = `${HEAD}<thead><tr>${columns.map(heading).join('')}</tr></thead>\n<tbody>\n`
  return assembleText(head, parts, () => '</tbody>\n</table>\n</body>\n</html>\n')
}

function heading({ name, type }: Column): string {
  return `<th${type === 'number' || type === 'integer' ? ' class="n"' : ''} scope="col">${xmlText(name)}</th>`
}

function cell(value: Json | undefined, type: Column['type']): string {
  if (typeof value === 'number') return `<td class="n">${numberText(value)}</td>`
  const text = xmlText(cellText(value))
  const isLink = type === 'url' && typeof value === 'string' && /^https?:\/\//i.test(value)
  return isLink
    ? `<td><a href="${text}" rel="noopener noreferrer nofollow">${text}</a></td>`
    : `<td>${text}</td>`
}
