import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { preparePage } from '../../../src/engine/extract/document/prepare-page.ts'
import { sniffType } from '../../../src/engine/media/sniff.ts'
import { alike, isObject } from '../compare.ts'
import type { Case, Kind, Value } from '../suite.ts'

/** Bytes: their type, their charset, and the documents in them. */
export const bytesKinds: Readonly<Record<string, Kind>> = {
  charset: { judge: judgeCharset },
  sniff: {
    judge: (one) =>
      one.texts('types').includes(sniffType(one.bytes('body'), one.text('contentType'))),
  },
  csv: { judge: judgeCsv },
  json: { judge: judgeJson },
}

const URL = 'https://example.com/'

function judgeCharset(one: Case): boolean {
  const body = one.bytes('body')
  const { text } = new PageContent({ url: URL, contentType: one.text('contentType'), body })
  return text === new TextDecoder(one.text('encoding')).decode(body)
}

async function judgeCsv(one: Case): Promise<boolean> {
  const page = { url: URL, contentType: 'text/csv; header=present', body: one.bytes('body') }
  await preparePage(page)
  const [records] = new PageContent(page).data
  const rows: Value = JSON.parse(JSON.stringify(records ?? []))
  if (!Array.isArray(rows)) return false
  // The engine has `null` for an empty cell.
  const texts = rows.map((row: Value) =>
    isObject(row)
      ? Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? '']))
      : row,
  )
  return alike(texts, one.value('rows'))
}

function judgeJson(one: Case): boolean {
  const page = {
    url: URL,
    contentType: 'application/json',
    body: one.bytes('body'),
  }
  const isParsed = new PageContent(page).data.length === 1
  const accept = one.value('accept')
  return accept === null || accept === isParsed
}
