import fc from 'fast-check'
import type { Element } from 'domhandler'
import { getElementsByTagName, textContent } from 'domutils'
import { parse } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import { describe, expect, it } from 'vitest'
import type { ExportColumnType } from '../../../src/ports/row-work.ts'
import { htmlFormat } from '../../../src/engine/export/formats.ts'
import { writeRows } from '../../../src/engine/export/row-source.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { batches, columnsOf, hostileTable, textOf } from './written.ts'

const html = (
  rows: readonly Row[],
  columns: readonly string[],
  types?: Record<string, ExportColumnType>,
) => textOf(writeRows(htmlFormat, batches([rows]), columnsOf(columns, types)))
const cellsOf = async (row: Row, types?: Record<string, ExportColumnType>) =>
  /<tbody>\n<tr>(.*)<\/tr>\n<\/tbody>/s.exec(await html([row], Object.keys(row), types))?.[1]
const shown = (value: Json) =>
  (value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value))
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')

describe('HTML', () => {
  it('can be read back by a browser, whatever the columns and values', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async ({ names, rows }) => {
        const errors: string[] = []
        const page = parse(await html(rows, names), {
          treeAdapter: adapter,
          onParseError: ({ code }) => errors.push(code),
        })
        const texts = (tag: string) => getElementsByTagName(tag, page.children).map(textContent)
        // Control characters that XML does not forbid, and non-characters, are allowed but
        // discouraged.
        expect(errors.filter((code) => !/^(control|noncharacter)/.test(code))).toEqual([])
        expect(texts('th')).toEqual(names.map(shown))
        expect(texts('td')).toEqual(
          rows.flatMap((row) => names.map((name) => shown(row[name] ?? null))),
        )
        const tags = new Set(
          getElementsByTagName(() => true, page.children).map(({ name }: Element) => name),
        )
        expect([...tags].toSorted()).toEqual([
          'body',
          'head',
          'html',
          'meta',
          'style',
          'table',
          'tbody',
          ...(rows.length > 0 ? ['td'] : []),
          'th',
          'thead',
          'title',
          'tr',
        ])
      }),
      { numRuns: 200 },
    )
  })

  it.each<[Row, Record<string, ExportColumnType>, string]>([
    [{ a: '<script>alert(1)</script>' }, {}, '<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>'],
    [{ a: 1.5, b: null, c: true }, {}, '<td class="n">1.5</td><td></td><td>true</td>'],
    [
      { a: 'https://a.example/?b=1&c="x"' },
      { a: 'url' },
      '<td><a href="https://a.example/?b=1&amp;c=&quot;x&quot;" rel="noopener noreferrer ' +
        'nofollow">https://a.example/?b=1&amp;c=&quot;x&quot;</a></td>',
    ],
    [{ a: 'javascript:alert(1)' }, { a: 'url' }, '<td>javascript:alert(1)</td>'],
    [{ a: 'https://a.example/' }, { a: 'text' }, '<td>https://a.example/</td>'],
    [{ a: ['x', 1] }, {}, '<td>[&quot;x&quot;,1]</td>'],
  ])('writes %j as cells', async (row, types, cells) => {
    expect(await cellsOf(row, types)).toBe(cells)
  })

  it('loads no resource and runs no script', async () => {
    const page = await html([{ a: 'x' }], ['a'], { a: 'number' })
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(page).not.toMatch(/<script|src=|@import|url\(|\son\w+=/i)
    expect(page).toContain('<th class="n" scope="col">a</th>')
  })
})
