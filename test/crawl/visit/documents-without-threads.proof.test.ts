import { expect, onTestFinished, test, vi } from 'vitest'
import { makeDocx, makeXlsx, paragraph, sheetRows } from '../../support/fakes/make-office.ts'
import { makePdf, makePdfOf, objectsOf } from '../../support/fakes/make-pdf.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

// A runtime without threads has no other reader than that of web standards.
vi.mock(
  import('../../../adapters/node/document-reader.ts'),
  () => import('../../../src/defaults/document-reader.ts'),
)

const typed = (type: string, body: Uint8Array) => ({ headers: { 'content-type': type }, body })
const OFFICE = 'application/vnd.openxmlformats-officedocument'

test('the outcome of a document that is not read without threads says so', async () => {
  const world = createWorld({
    'https://a.example.com/report.pdf': typed('application/pdf', makePdf([['Ink sells']])),
    'https://b.example.com/scan.pdf': typed(
      'application/pdf',
      makePdfOf(
        [
          ...objectsOf(['BT /F 12 Tf 50 700 Td (Scanned) Tj ET']),
          { dictionary: '/Subtype /Image /Filter [/FlateDecode /DCTDecode]', stream: 'a photo' },
        ],
        3,
        { packed: false },
      ),
    ),
    'https://c.example.com/report.docx': typed(
      `${OFFICE}.wordprocessingml.document`,
      await makeDocx(paragraph('Ink sells')),
    ),
    'https://d.example.com/report.xlsx': typed(
      `${OFFICE}.spreadsheetml.sheet`,
      await makeXlsx([{ name: 'Sales', rows: sheetRows([['Ink', 3]]) }]),
    ),
  })
  onTestFinished(() => world.platform.close())
  const urls = ['a', 'b', 'c', 'd'].map((host) => `https://${host}.example.com`)
  const paths = ['report.pdf', 'scan.pdf', 'report.docx', 'report.xlsx']
  const id = await world.start({
    start: { urls: urls.map((url, index) => `${url}/${paths[index]}`) },
    crawl: { robots: false },
    formats: ['text'],
  })
  await world.platform.worker.tick()
  const message =
    'The page could not be read: it is an Office document, which this platform does not read: ' +
    'run it on Node, Bun or Deno'
  const { items } = await world.platform.api.executions.pages(OWNER, id)
  expect(items.map(({ url, outcome, reason }) => [url.slice(8, 9), outcome, reason])).toEqual([
    ['a', 'fetched', null],
    ['b', 'fetched', null],
    ['c', 'failed', { code: 'docx_unavailable', message }],
    ['d', 'failed', { code: 'xlsx_unavailable', message }],
  ])
  expect((await world.rows(id)).map(({ text }) => text).toSorted()).toEqual([
    'Ink sells',
    'Scanned',
  ])
})
