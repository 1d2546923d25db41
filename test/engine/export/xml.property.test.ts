import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { xmlFormat } from '../../../src/engine/export/formats.ts'
import { writeRows } from '../../../src/engine/export/row-source.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { readXml } from '../../support/strict-xml.ts'
import type { XmlElement } from '../../support/strict-xml.ts'
import { batches, columnsOf, hostileTable, textOf } from './written.ts'

const xml = (rows: readonly Row[], columns: readonly string[]) =>
  textOf(writeRows(xmlFormat, batches([rows]), columnsOf(columns)))
const line = async (row: Row, columns = Object.keys(row)) =>
  (await xml([row], columns)).split('\n')[2]
/** The part of a text that XML can express. */
const carried = (text: string) =>
  text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')

function expectValue(element: XmlElement, value: Json): void {
  if (value === null)
    return expect([element.attributes['xsi:nil'], element.text, element.children]).toEqual([
      'true',
      '',
      [],
    ])
  expect(element.attributes).not.toHaveProperty('xsi:nil')
  if (typeof value !== 'object')
    return expect([element.text, element.children]).toEqual([carried(String(value)), []])
  const members = Array.isArray(value)
    ? value.map((item): [string, Json] => ['item', item])
    : Object.entries(value)
  expect(element.children.map(nameOf)).toEqual(members.map(([name]) => carried(name)))
  for (const [index, [, member]] of members.entries())
    expectValue(element.children[index] ?? expect.fail(), member)
}

const nameOf = ({ name, attributes }: XmlElement) =>
  name === 'field' && attributes['name'] !== undefined ? attributes['name'] : name

describe('XML', () => {
  it('is well-formed and can be read back, whatever the columns and values', async () => {
    await fc.assert(
      fc.asyncProperty(hostileTable, async ({ names, rows }) => {
        const root = readXml(await xml(rows, names))
        expect(root.children.map(({ name }) => name)).toEqual(rows.map(() => 'row'))
        for (const [index, row] of rows.entries()) {
          const cells = root.children[index]?.children ?? []
          expect(cells.map(nameOf)).toEqual(names.map(carried))
          for (const [column, name] of names.entries())
            expectValue(cells[column] ?? expect.fail(), row[name] ?? null)
        }
      }),
      { numRuns: 300 },
    )
  })

  it.each<[Row, string]>([
    [{ title: 'a < b & "c"' }, '<row><title>a &lt; b &amp; &quot;c&quot;</title></row>'],
    [{ 'price (EUR)': 1.5 }, '<row><field name="price (EUR)">1.5</field></row>'],
    [{ '1st': true }, '<row><field name="1st">true</field></row>'],
    [{ 'xml-lang': 'x' }, '<row><field name="xml-lang">x</field></row>'],
    [{ 'a:b': 'x' }, '<row><field name="a:b">x</field></row>'],
    [{ 'a"\t<b': 'x' }, '<row><field name="a&quot;&#9;&lt;b">x</field></row>'],
    [{ größe: 'ä', 价格: '€' }, '<row><größe>ä</größe><价格>€</价格></row>'],
    [
      { tags: ['a', null, ['b']] },
      '<row><tags><item>a</item><item xsi:nil="true"/><item><item>b</item></item></tags></row>',
    ],
    [
      { by: { name: 'Ann', 'e mail': null } },
      '<row><by><name>Ann</name><field name="e mail" xsi:nil="true"/></by></row>',
    ],
    [{ a: '\u0000\ud800\ufffe\r' }, '<row><a>\ufffd\ufffd\ufffd&#13;</a></row>'],
    [{ a: '', b: [] }, '<row><a></a><b></b></row>'],
  ])('writes %j as %s', async (row, text) => {
    expect(await line(row)).toBe(text)
  })

  it('has an element for a column that a row lacks, and no inherited properties', async () => {
    expect(await line({ a: 1 }, ['a', 'constructor'])).toBe(
      '<row><a>1</a><constructor xsi:nil="true"/></row>',
    )
  })

  it('nests elements only as deep as readers allow; deeper values are JSON text', async () => {
    let value: Json = 'deep'
    for (let level = 0; level < 2_000; level++) value = [value]
    const root = readXml(await xml([{ value }], ['value']))
    let element = root.children[0]?.children[0]
    let levels = 0
    for (; element?.children[0]; levels++) element = element.children[0]
    expect(levels).toBe(60)
    expect(element?.text).toBe(`${'['.repeat(1_940)}"deep"${']'.repeat(1_940)}`)
  })

  it('of no rows is a valid document', async () => {
    expect(readXml(await xml([], ['a']))).toMatchObject({ name: 'rows', children: [] })
  })
})
