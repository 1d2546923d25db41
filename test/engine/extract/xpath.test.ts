import { describe, expect, it } from 'vitest'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { textOf } from '../../../src/engine/extract/tree/text-content.ts'
import { checkedXPath } from '../../../src/engine/extract/xpath/checked-xpath.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Issue } from '../../../src/kernel/errors.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { CountingBudget, runOn } from '../../support/worlds/page-run.ts'

const HTML = `<html><body><div id="a" class="card big"><h2>One</h2><p>first <b>bold</b></p><p class="price">$ 5</p></div>
<div id="b" class="card"><h2>Two</h2><p>second</p><p class="price"> $ 7 </p><a href="/two">more</a></div>
<ul><li>x</li><li>y</li><li data-n="3">z</li></ul><table><tr><th>Weight</th><td>2 kg</td></tr><tr><th>Colour</th><td>red</td></tr></table></body></html>`
const pageOf = (text: string, contentType = 'text/html') => ({
  url: 'https://a.example/list',
  contentType,
  body: new TextEncoder().encode(text),
})
const START = { label: 'start', depth: 0, hop: 1 }
const find = (xpath: string, text = HTML, type?: string, budget = new PageBudget()): string[] => {
  const issues: Issue[] = []
  const nodes = checkedXPath(
    xpath,
    'x',
    issues,
  )(new PageContent(pageOf(text, type), START, budget), null)
  expect(issues).toEqual([])
  return nodes.map((one) =>
    typeof one === 'string'
      ? `'${one}'`
      : (one.attribs['id'] ?? (textOf(one, new PageBudget()) || one.name)),
  )
}

describe('paths', () => {
  const PATHS: readonly (readonly [string, readonly string[]])[] = [
    ['//h2', ['One', 'Two']],
    ['/html/body/div/h2', ['One', 'Two']],
    ['//H2', ['One', 'Two']],
    ['/div', []],
    ['//div//p[1]', ['first bold', 'second']],
    ['//p[1]', ['first bold', 'second']],
    ['(//p)[1]', ['first bold']],
    ['(//p)[last()]', ['$ 7']],
    ['//li[2]', ['y']],
    ['//li[last()]', ['z']],
    ['//li[last()-1]', ['y']],
    ['//li[position()<3]', ['x', 'y']],
    ['//li[position() mod 2 = 1]', ['x', 'z']],
    ['//li[@data-n]', ['z']],
    ['//li[@data-n="3"]', ['z']],
    ["//li[@data-n!='3']", []],
    ['//li[@data-n > 2]', ['z']],
    ['//li[not(@data-n)]', ['x', 'y']],
    ['//div[contains(@class, "big")]', ['a']],
    ['//div[starts-with(@id,"b")]', ['b']],
    ['//div[@class="card"]', ['b']],
    ['//div[h2="Two"]', ['b']],
    ['//div[.//b]', ['a']],
    ['//div[a or .//b]', ['a', 'b']],
    ['//div[a and .//b]', []],
    ['//div[p[@class="price"]]/h2', ['One', 'Two']],
    ['//p[normalize-space()="$ 7"]', ['$ 7']],
    ['//p[text()="second"]', ['second']],
    ['//p/text()', ["'first '", "'$ 5'", "'second'", "' $ 7 '"]],
    ['//p[1]//text()', ["'first '", "'bold'", "'second'"]],
    ['//a/@href', ["'/two'"]],
    ['//li/@*', ["'3'"]],
    ['//th[.="Colour"]/following-sibling::td', ['red']],
    ['//th[text()="Weight"]/following-sibling::td[1]', ['2 kg']],
    ['//td[.="red"]/preceding-sibling::th', ['Colour']],
    ['//b/..', ['first bold']],
    ['//b/../..', ['a']],
    ['//b/parent::p', ['first bold']],
    ['//b/ancestor::div', ['a']],
    ['//b/ancestor::*[1]', ['first bold']],
    ['//h2 | //li', ['One', 'Two', 'x', 'y', 'z']],
    ['//li|//h2', ['One', 'Two', 'x', 'y', 'z']],
    ['//*[@id]', ['a', 'b']],
    ['//*[name()="b"]', ['bold']],
    ['//p[string-length(.) > 8]', ['first bold']],
    ['//p[translate(., "SECOND", "second")="second"]', ['second']],
    ['//p[substring-after(., "$ ") = 5]', ['$ 5']],
    ['//div/descendant::b', ['bold']],
    ['//tbody/tr/td', ['2 kg', 'red']],
    ['//div[1]/child::p[2]', ['$ 5']],
    ['//div[position()=2]/h2', ['Two']],
    ['//div[p][2]', ['b']],
    ['//p[concat("x", @class)="xprice"]', ['$ 5', '$ 7']],
    ['//li[true()]', ['x', 'y', 'z']],
    ['//li[false()]', []],
    ['//div/p/b/self::b', ['bold']],
    ['//div[number(substring-after(p[@class="price"], "$")) >= 7]', ['b']],
    ['//li[string-length("ab")]', ['y']],
    ['//b/following::h2', ['Two']],
    ['//a/preceding::p[1]', ['$ 7']],
    ['//li[3]/preceding::li', ['x', 'y']],
    ['//@id/following::h2', ['One', 'Two']],
    ['(//p[2])[1]/preceding::text()', ["'One'", "'first '", "'bold'"]],
    ['//h2/following-sibling::node()[1]', ['first bold', 'second']],
    ['//div[count(p) = 2]/@id', ["'a'", "'b'"]],
    ['//@id | //h2 | //div', ['a', "'a'", 'One', 'b', "'b'", 'Two']],
    ['//@href | //@href', ["'/two'"]],
    ['//@id/..', ['a', 'b']],
    ['(//p)[2]/../h2', ['One']],
    ['(//p | //li)[last()]', ['z']],
    ['//li[position() * 2 = 4]', ['y']],
    ['//li[last() div 3]', ['x']],
    ['//li[-1 + 2]', ['x']],
    ['//li[. = "x" or . = "z"]', ['x', 'z']],
    ['//li[substring(., 1, 1) = "y"]', ['y']],
    ['//li[boolean(@data-n)]', ['z']],
    ['//li[@data-n < 4 and @data-n >= 3]', ['z']],
    ['//li[sum(@data-n) = 3]', ['z']],
    ['id("b a")', ['a', 'b']],
    ['//div/comment()', []],
    ['count(//li)', ["'3'"]],
    ['count(//li) > 2', ["'true'"]],
    ['string(//h2)', ["'One'"]],
    ['normalize-space((//p)[last()])', ["'$ 7'"]],
    ['1 div 4', ["'0.25'"]],
    ['0.0000001', ["'0.0000001'"]],
    ['1000000000000000000000', ["'1000000000000000000000'"]],
    ['number("1e3")', []],
    ['round(-2.5)', ["'-2'"]],
    ['substring("12345", 1.5, 2.6)', ["'234'"]],
    ['translate("bar", "abc", "AB")', ["'BAr'"]],
  ]

  it('find the nodes that XPath 1.0 defines', async () => {
    const failing = await failingCases(
      PATHS,
      ([xpath]) => xpath,
      ([xpath, expected]) => expect(find(xpath)).toEqual(expected),
    )
    expect(failing).toEqual([])
  })

  it('support languages, namespaces and prefixes of XML', () => {
    const xml =
      '<r xmlns:a="urn:a" xml:lang="en-GB"><a:one xml:id="i"/><a:two xml:lang="de"/>\n<three/></r>'
    expect([
      find('//a:*', xml, 'text/xml'),
      find('//*[lang("en")]', xml, 'text/xml'),
      find('//*[namespace-uri() = "urn:a"]', xml, 'text/xml'),
      find('id("i")', xml, 'text/xml'),
      find('count(//@*)', xml, 'text/xml'),
      find('//node()', xml, 'text/xml'),
    ]).toEqual([
      ['a:one', 'a:two'],
      ['r', 'a:one', 'three'],
      ['a:one', 'a:two'],
      ['a:one'],
      ["'3'"],
      ['r', 'a:one', 'a:two', "'\n'", 'three'],
    ])
  })

  it('compare names of XML with their case', () => {
    const xml =
      '<feed><Entry><dc:creator>Ann</dc:creator></Entry><entry><dc:creator>Ben</dc:creator></entry></feed>'
    expect([
      find('//Entry', xml, 'text/xml'),
      find('//entry/dc:creator', xml, 'text/xml'),
      find('//*[local-name()="creator"]', xml, 'text/xml'),
    ]).toEqual([['Ann'], ['Ben'], ['Ann', 'Ben']])
  })
})

describe('XPaths in a recipe', () => {
  const run = (extract: object, follow?: object[], html = HTML) =>
    compileRecipe(
      parseRecipe({
        start: { urls: ['https://a.example/list'] },
        extract,
        ...(follow && { follow }),
      }),
    ).process(pageOf(html), START)

  it('select items and fields: below the item with a dot, from the root without one', () => {
    const fields = {
      name: { xpath: './h2' },
      price: { xpath: 'p[@class="price"]', as: 'number' },
      link: { xpath: './/a/@href', as: 'url' },
      first: '//h2',
      id: { xpath: '.', attr: 'id' },
      texts: { xpath: './/p', many: true },
    }
    expect(run({ items: '//div[contains(@class,"card")]', fields }).rows).toEqual([
      { name: 'One', price: 5, link: null, first: 'One', id: 'a', texts: ['first bold', '$ 5'] },
      {
        name: 'Two',
        price: 7,
        link: 'https://a.example/two',
        first: 'One',
        id: 'b',
        texts: ['second', '$ 7'],
      },
    ])
  })

  it('may give the number 0 and the boolean false, which are values', () => {
    const html = '<p data-stock=0 data-sold=no>x</p>'
    const fields = {
      stock: { xpath: '//p/@data-stock', as: 'number' },
      sold: { xpath: '//p/@data-sold', as: 'boolean' },
    }
    expect(run({ fields }, undefined, html).rows).toEqual([{ stock: 0, sold: false }])
  })

  it('select nested fields, stand beside selectors, and select links to follow', () => {
    expect(
      run({
        fields: {
          rows: { xpath: '//tr', many: true, fields: { key: 'th', value: './td' } },
          missing: ['//nothing', 'h2'],
        },
      }).rows,
    ).toEqual([
      {
        rows: [
          { key: 'Weight', value: '2 kg' },
          { key: 'Colour', value: 'red' },
        ],
        missing: 'One',
      },
    ])
    expect(run({ fields: { a: 'a' } }, [{ links: '//div/a' }]).links.map(({ url }) => url)).toEqual(
      ['https://a.example/two'],
    )
    expect(
      run({ fields: { a: 'a' } }, [{ next: '//a/@href' }]).links.map(({ hop }) => hop),
    ).toEqual([2])
  })

  const expectRefused = (xpath: string) => {
    const issues: Issue[] = []
    checkedXPath(xpath, 'extract.items', issues)
    expect(issues).toMatchObject([
      { path: 'extract.items', message: expect.stringContaining('is not a supported XPath: ') },
    ])
  }

  it.each([
    '//',
    '//a[',
    '//a[@href=]',
    'a]',
    '//a[foo()]',
    '//a[contains(@href)]',
    '//a/beside::b',
    '$x',
    '1 | //a',
    '"a"/b',
    '//a[concat("x")]',
    '//a[1',
    '//a["x]',
    '//a b',
    '(//a',
  ])('are refused: %s', (xpath) => expectRefused(xpath))

  it('are refused if they have too many steps or are too deep', () => {
    expectRefused(`//a${'/b'.repeat(2_001)}`)
    expectRefused(`//a${'[b'.repeat(61)}${']'.repeat(61)}`)
  })
})

describe('hostile input', () => {
  it('pays the worst case of engines for a search of a long text in another one', async () => {
    const text = `<p><i>${'a'.repeat(4_000)}</i><b>b${'a'.repeat(1_000)}</b>`
    for (const name of ['contains', 'substring-before', 'substring-after']) {
      const budget = new CountingBudget()
      await runOn({ extract: { fields: { a: `//p[${name}(i, b)]` } } }, pageOf(text), budget)
      expect(budget.steps).toBeGreaterThan((4_000 * 1_000) / 16)
    }
  })

  it('compares many texts with many by reading each of them once', async () => {
    const budget = new CountingBudget()
    const text = `<p>${'<i>a</i>'.repeat(3_000)}${'<b>b</b>'.repeat(3_000)}`
    for (const operator of ['=', '!='])
      await runOn({ extract: { fields: { a: `//p[//i ${operator} //b]` } } }, pageOf(text), budget)
    expect(budget.steps).toBeLessThan(1_000_000)
  })

  it.each([
    ['//i = //b', true],
    ['//i != //b', true],
    ['//i[1] = //b[2]', true],
    ['//i[1] != //b[2]', false],
    ['//i[2] = //b', false],
    ['//x = //b', false],
    ['//x != //b', false],
    ['//i = //x', false],
    ['//i = "1"', true],
    ['"2" != //b', true],
    ['//c = //c', false],
  ])('compares texts: %s is %s', (expression, expected) => {
    expect(find(`//p[${expression}]`, '<p><i>1</i><i>3</i><b>2</b><b>1</b>').length > 0).toBe(
      expected,
    )
  })
})
