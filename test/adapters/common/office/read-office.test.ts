import { describe, expect, it } from 'vitest'
import { readOffice } from '../../../../adapters/node/page-office.ts'
import { detect } from '../../../../src/engine/extract/auto.ts'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../../src/engine/recipe/parse-recipe.ts'
import {
  makeArchive,
  makeDocx,
  makeXlsx,
  paragraph,
  sheetRows,
  textCell,
  wordTable,
} from '../../../support/fakes/make-office.ts'
import { DOCX, pageOf, rowsOf, START } from '../../../support/office-page.ts'

describe('a Word file', async () => {
  const page = await pageOf(
    await makeDocx(
      [
        paragraph('On ink', 'Title'),
        paragraph('Prices', 'heading1'),
        paragraph('All prices are in euros, and hold until the end of the year.'),
        wordTable([
          ['Name', 'Price'],
          ['Pen', '2.50'],
          ['Ink', '4.20'],
          ['Nib', '1.10'],
        ]),
        '<w:p><w:hyperlink r:id="l"><w:r><w:t>More ink</w:t></w:r></w:hyperlink></w:p>',
      ].join(''),
      {
        core:
          '<dc:title>Ink &amp; pens</dc:title><dc:creator>Ann "A" Inkwell</dc:creator>' +
          '<dc:language>en</dc:language><dcterms:created>2026-02-03T04:05:06Z' +
          '</dcterms:created>',
        links: { l: 'https://a.example/more' },
      },
    ),
    DOCX,
  )

  it('becomes a page with elements, links and facts', () => {
    expect(
      rowsOf(page, {
        extract: {
          items: 'tbody > tr',
          fields: { name: 'td', price: { css: 'td:nth-child(2)', as: 'number' } },
        },
      }),
    ).toEqual([
      { name: 'Pen', price: 2.5 },
      { name: 'Ink', price: 4.2 },
      { name: 'Nib', price: 1.1 },
    ])
    expect(rowsOf(page, { formats: ['links', 'metadata', 'markdown'] })).toMatchObject([
      {
        links: [{ url: 'https://a.example/more', text: 'More ink' }],
        metadata: {
          title: 'On ink',
          author: 'Ann "A" Inkwell',
          date: '2026-02-03T04:05:06Z',
          language: 'en',
        },
        markdown: expect.stringContaining('| Pen | 2.50 |'),
      },
    ])
    expect(
      rowsOf(page, { extract: { fields: { type: { page: 'contentType' }, title: 'title' } } }),
    ).toEqual([{ type: DOCX, title: 'Ink & pens' }])
  })

  it('has its table detected, and its links followed by a crawl', () => {
    expect(rowsOf(page, { extract: 'auto' })).toEqual([
      { name: 'Pen', price: 2.5 },
      { name: 'Ink', price: 4.2 },
      { name: 'Nib', price: 1.1 },
    ])
    const plan = compileRecipe(
      parseRecipe({ start: { urls: [page.url] }, crawl: { scope: 'any' } }),
    )
    expect(plan.process(page, START).links).toMatchObject([{ url: 'https://a.example/more' }])
  })

  it('may become a page of plain text that scripts in it do not change', async () => {
    const hostile = await pageOf(
      await makeDocx(paragraph('&lt;script&gt;alert(1)&lt;/script&gt;'), {
        core: '<dc:title>&lt;/title&gt;&lt;base href=x&gt;</dc:title>',
      }),
    )
    expect(
      rowsOf(hostile, { extract: { fields: { text: 'p', base: 'base', bad: 'script' } } }),
    ).toEqual([{ text: '<script>alert(1)</script>', base: null, bad: null }])
  })
})

describe('a workbook', () => {
  it('becomes tables with names, numbers, dates, formulas and merged cells', async () => {
    const page = await pageOf(
      await makeXlsx(
        [
          { name: 'Notes', rows: sheetRows([['Read me']]) },
          {
            name: 'Prices',
            rows: `<row r="1">${textCell('A1', 'Prices of ink')}<c r="B1"/><c r="C1"/><c r="D1"/></row>
              <row r="3"><c r="A3" t="s"><v>0</v></c>${textCell('B3', 'Price')}${textCell('C3', 'Since')}${textCell('D3', 'Sum')}</row>
              <row r="4">${textCell('A4', 'Pen')}<c r="B4"><v>2.5</v></c><c r="C4" s="1"><v>46056</v></c><c r="D4"><f>B4*2</f><v>5</v></c></row>
              <row r="5"><c r="A5"/><c r="B5"><v>4</v></c><c r="C5" s="2"><v>46056.25</v></c><c r="D5"><f>B5*2</f></c></row>
              <row r="6" hidden="1">${textCell('A6', 'Hidden')}</row>
              <row r="7">${textCell('A7', 'Ink')}<c r="B7" t="e"><v>#N/A</v></c><c r="C7" t="b"><v>1</v></c></row>`,
            after:
              '<mergeCells count="2"><mergeCell ref="A1:D1"/><mergeCell ref="A4:A5"/></mergeCells>',
          },
          { name: 'Secret', rows: sheetRows([['a', 'b']]), state: 'hidden' },
        ],
        {
          core: '<dc:title>Ink</dc:title><dc:creator>Ann</dc:creator>',
          strings: ['Name'],
        },
      ),
    )
    expect(
      rowsOf(page, { extract: { items: '$.tables[*].rows[*]', fields: { name: '$.Name' } } }),
    ).toEqual([{ name: 'Pen' }, { name: 'Pen' }, { name: 'Ink' }])
    expect(rowsOf(page, { extract: { fields: { all: '$.tables[1]', title: '$.title' } } })).toEqual(
      [
        {
          title: 'Ink',
          all: {
            name: 'Prices',
            page: 2,
            caption: 'Prices of ink',
            rows: [
              { Name: 'Pen', Price: 2.5, Since: '2026-02-03', Sum: 5 },
              { Name: 'Pen', Price: 4, Since: '2026-02-03T06:00:00', Sum: null },
              { Name: 'Ink', Price: '#N/A', Since: true, Sum: null },
            ],
          },
        },
      ],
    )
    expect(detect(page)).toMatchObject({ kind: 'table', extract: { items: '$.tables[1].rows[*]' } })
    expect(rowsOf(page, { formats: ['markdown'] })).toMatchObject([
      { markdown: expect.stringContaining('## Prices\n\n| Prices of ink |') },
    ])
  })

  it('has several tables in a sheet, names in two rows, and times without a day', async () => {
    const sheet = (rows: readonly (readonly (string | number)[])[], after = ''): string =>
      rows
        .map((cells, index) => {
          const parts = cells.map((value, column) => {
            const name = `${'ABCDE'.charAt(column)}${index + 1}`
            return typeof value === 'number'
              ? `<c r="${name}"${value < 1 ? ' s="2"' : ''}><v>${value}</v></c>`
              : value === ''
                ? ''
                : `<c r="${name}" t="inlineStr"><is><t>${value}</t></is></c>`
          })
          return cells.length === 0 ? '' : `<row r="${index + 1}">${parts.join('')}</row>`
        })
        .join('') + after
    const goods = [['Name', 'Maker', 'Price'], ['Pen', 'Quill', 2], [], ['Ink', 'Seal', 4], [], []]
    const cities = [
      ['City', 'Shops'],
      ['Bergen', 3],
      ['Oslo', 11],
    ]
    const spread = [
      ['Region', '2024', '', '2025', ''],
      ['', 'Units', 'Value', 'Units', 'Value'],
      ['North', 1, 20, 3, 40],
      ['South', 5, 60, 7, 80],
    ]
    const page = await pageOf(
      await makeXlsx([
        { name: 'A', rows: sheet([...goods, ...cities]) },
        {
          name: 'B',
          rows: sheet(spread),
          after: '<mergeCells><mergeCell ref="B1:C1"/><mergeCell ref="D1:E1"/></mergeCells>',
        },
        {
          name: 'C',
          rows: sheet([
            ['Train', 'At'],
            ['7', 0.395_833_333_333_333],
          ]),
        },
      ]),
    )
    const rows = (items: string, fields: object) => rowsOf(page, { extract: { items, fields } })
    expect(rows('$.tables[*]', { name: '$.name', rows: '$.rows' })).toMatchObject([
      {
        name: 'A',
        rows: [
          { Name: 'Pen', Maker: 'Quill', Price: 2 },
          { Name: 'Ink', Maker: 'Seal', Price: 4 },
        ],
      },
      {
        name: 'A',
        rows: [
          { City: 'Bergen', Shops: 3 },
          { City: 'Oslo', Shops: 11 },
        ],
      },
      {
        name: 'B',
        rows: [
          { Region: 'North', '2024 Units': 1, '2024 Value': 20, '2025 Units': 3, '2025 Value': 40 },
          { Region: 'South', '2024 Units': 5, '2024 Value': 60, '2025 Units': 7, '2025 Value': 80 },
        ],
      },
      { name: 'C', rows: [{ Train: '7', At: '09:30:00' }] },
    ])
    expect(rowsOf(page, { extract: { fields: { text: '$.pages[0].text' } } })).toEqual([
      {
        text:
          '## A\n\n| Name | Maker | Price |\n| --- | --- | --- |\n| Pen | Quill | 2 |\n| Ink | Seal | 4 |' +
          '\n\n| City | Shops |\n| --- | --- |\n| Bergen | 3 |\n| Oslo | 11 |',
      },
    ])
    expect(rows('$.pages[*]', { number: '$.number', text: '$.text' })).toMatchObject([
      { number: 1 },
      { number: 2, text: expect.stringMatching(/^## B/) },
      { number: 3, text: expect.stringMatching(/^## C/) },
    ])
  })

  it('goes on below an empty row where a text stands among its numbers', async () => {
    const sheet = (first: readonly (readonly (string | number)[])[]): string =>
      sheetRows([['Item', 'Price'], ...first]) +
      sheetRows(
        [
          ['Nib', 'free'],
          ['Cap', 3],
          ['Box', 5],
        ],
        5,
      )
    for (const [pen, ink] of [
      [2, 4],
      ['none', 'few'],
    ] as const) {
      const rows = sheet([
        ['Pen', pen],
        ['Ink', ink],
      ])
      const page = await pageOf(await makeXlsx([{ name: 'A', rows }]))
      expect(rowsOf(page, { extract: 'auto' })).toEqual([
        { Item: 'Pen', Price: pen },
        { Item: 'Ink', Price: ink },
        { Item: 'Nib', Price: 'free' },
        { Item: 'Cap', Price: 3 },
        { Item: 'Box', Price: 5 },
      ])
    }
  })

  it('has a record below columns with the same name that are not merged', async () => {
    const rows = sheetRows([
      ['Item', 'Note', 'Note'],
      ['', 'soft', 'hard'],
      ['Pen', 'a', 'b'],
    ])
    const page = await pageOf(await makeXlsx([{ name: 'A', rows }]))
    expect(rowsOf(page, { extract: { fields: { all: '$.tables[0].rows' } } })).toEqual([
      {
        all: [
          { Item: null, Note: 'soft', Note_2: 'hard' },
          { Item: 'Pen', Note: 'a', Note_2: 'b' },
        ],
      },
    ])
  })

  it('has days of years with five digits', async () => {
    const rows = `<row r="1">${textCell('A1', 'x')}<c r="B1" s="1"><v>2958466</v></c></row>`
    const { tables } = await readOffice('xlsx', await makeXlsx([{ name: 'A', rows }])).then(
      (text) => ('tables' in text ? text : { tables: [] }),
    )
    expect(tables?.[0]?.rows).toEqual([['x', '+010000-01-01']])
  })

  it('has lengths of time of over a day in a column of such', async () => {
    const day = (ref: string, value: number): string => `<c r="${ref}" s="2"><v>${value}</v></c>`
    const rows = [
      [textCell('A1', 'Worked'), textCell('B1', 'On')],
      [day('A2', 0.5), day('B2', 0.5)],
      [day('A3', 1.260_416_666_666_667), day('B3', 1.260_416_666_666_667)],
      [day('A4', 2), day('B4', 46_056)],
    ].map((cells, index) => `<row r="${index + 1}">${cells.join('')}</row>`)
    const text = await readOffice('xlsx', await makeXlsx([{ name: 'A', rows: rows.join('') }]))
    expect('tables' in text && text.tables?.[0]?.rows).toEqual([
      ['Worked', 'On'],
      ['12:00:00', '12:00:00'],
      ['30:15:00', '1900-01-01T06:15:00'],
      ['48:00:00', '2026-02-03'],
    ])
  })

  it('counts days from 1904 if it says so', async () => {
    const page = await pageOf(
      await makeXlsx(
        [
          {
            name: 'A',
            rows: `<row r="1">${textCell('A1', 'x')}<c r="B1" s="1"><v>44594</v></c></row>`,
          },
        ],
        { is1904: true },
      ),
    )
    expect(rowsOf(page, { extract: { fields: { day: '$.tables[0].rows[*].c2' } } })).toEqual([
      { day: '2026-02-03' },
    ])
  })
})

describe('the error of an Office file that cannot be read says why', async () => {
  const text = (bytes: string): Uint8Array => new Uint8Array(Buffer.from(bytes, 'latin1'))
  const encrypted = text(
    `\xd0\xcf\x11\xe0${' '.repeat(600)}${[...'EncryptedPackage'].join('\0')}\0${' '.repeat(900)}`,
  )
  it.each([
    ['a password', encrypted, 'encrypted', /needs a password/],
    ['an older format', text(`\xd0\xcf\x11\xe0${' '.repeat(900)}`), 'malformed', /save it as/],
    ['no archive', text('hello'), 'malformed', /damaged/],
    ['nothing', text(''), 'malformed', /damaged/],
    ['an archive of other things', await makeArchive({ 'a.txt': 'a' }), 'malformed', /damaged/],
    [
      'an archive that ends early',
      (await makeDocx(paragraph('a'))).subarray(0, 300),
      'malformed',
      /damaged/,
    ],
    [
      'XML that is not closed',
      await makeArchive({
        'word/document.xml': '<w:document><w:body>',
        'xl/workbook.xml': '<workbook><sheets>',
      }),
      'malformed',
      /damaged/,
    ],
  ])('%s', async (_, bytes, reason, message) => {
    for (const format of ['docx', 'xlsx'] as const)
      await expect(readOffice(format, bytes)).rejects.toMatchObject({
        name: 'DocumentFailure',
        format,
        reason,
        message: expect.stringMatching(message),
      })
  })
})
