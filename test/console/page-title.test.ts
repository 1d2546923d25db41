import { expect, test, vi } from 'vitest'

test('the title of a page is one line of text, and empty if the page has none', async () => {
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('document', { querySelector: () => null })
  vi.stubGlobal('location', new URL('http://console.example/'))
  const { titleOf } = await import('../../src/console/app/builder/page-files.ts')
  const page = '<html data-seine-index="0"><head><title data-seine-index="1">\n Nuts &amp; bolts'
  expect(titleOf(`${page} &lt;new&gt;\n</title></head><body>x</body></html>`)).toBe(
    'Nuts & bolts <new>',
  )
  expect(titleOf('<html><head></head><body><p>Text</p></body></html>')).toBe('')
  expect(titleOf('<title></title>')).toBe('')
})
