import { expect, test, vi } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../../src/engine/extract/page/page-content.ts'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { pageStateParts } from '../../../../src/engine/extract/page/page-state.ts'
import { readScriptLiteral } from '../../../../src/engine/extract/page/script-literal.ts'
import { parseTree } from '../../../../src/engine/extract/tree/parse-tree.ts'
import { failingCases } from '../../../support/failing-cases.ts'
import { CountingBudget } from '../../../support/worlds/page-run.ts'
import { each, found } from '../../../support/found-list.ts'

// Proves that the data which scripts leave in a page is read as JavaScript writes it.

function stateOf(script: string, attributes = '') {
  const body = new TextEncoder().encode(`<script${attributes}>${script}</script>`)
  const page = { url: 'https://a.example/', contentType: 'text/html', body }
  return new PageContent(page, START, new CountingBudget()).state
}

test('the value that a script assigns is read without running it', async () => {
  const fails = await failingCases(
    [
      [
        'window.a={b:"c",\'d\':1,2:[.5,-1,0x10,,1e3,],"e":!0,f:!1,g:void 0};',
        { b: 'c', d: 1, 2: [0.5, -1, 16, null, 1000], e: true, f: false, g: null },
      ],
      ["var a = { /* x */ b: `c`, // y\n d: 'it\\'s \\u00e9\\x21\\\n' }", { b: 'c', d: "it's é!" }],
      [
        'window["a"]={d:new Date(0),e:Object.freeze([1]),f:JSON.parse("{\\"g\\":2}")}',
        { d: '1970-01-01T00:00:00.000Z', e: [1], f: { g: 2 } },
      ],
      ['window.a=JSON.parse("{\\"b\\":[1,\\"c\\"]}")', { b: [1, 'c'] }],
      [
        'window.__NUXT__=(function(a,b,c){return {d:[{e:a,f:b},{e:b,f:a}],c}}(1,"x",null));',
        {
          d: [
            { e: 1, f: 'x' },
            { e: 'x', f: 1 },
          ],
          c: null,
        },
      ],
      [
        'window.__NUXT__=(function(a,b){a.b=b;a.c=[b];a.c[1]={d:"}"};b.e=1;return {a:a}})({},{});',
        { a: { b: { e: 1 }, c: [{ e: 1 }, { d: '}' }] } },
      ],
      ['window.a=((a,b)=>({c:a,d:b}))(1,2)', { c: 1, d: 2 }],
      ['window.a={__proto__:{b:1}}', JSON.parse('{"__proto__":{"b":1}}')],
    ] as const,
    ([script]) => script,
    ([script, state]) => expect(stateOf(script)).toEqual([state]),
  )
  expect(fails).toEqual([])
})

test('assignments after JSON are read too, up to the first that is not data', () => {
  expect(
    stateOf('window.__A__ = {"b":";"};\n\nself.__C__=[{"d":1}]; var e={f:2}; go(); var g={"h":3}'),
  ).toEqual([{ b: ';' }, [{ d: 1 }], { f: 2 }])
  const many = each(150, (i) => `window.a${i}={"b":${i}};`)
  expect(stateOf(many)).toHaveLength(100)
})

test('assignments after data that is not JSON are read too', () => {
  const script = [
    "window.a={b:1};window.c={'d':2},self.e=[!0];",
    'window.__NUXT__=(function(a){return {f:a}}(3));window.g=((a)=>({h:a}))(4);',
    'window.u={x:y,z:w()};window.i={"j":5};window.k={l:m(;window.n={o:6}',
  ].join('\n')
  expect(stateOf(script)).toEqual([{ b: 1 }, { d: 2 }, [true], { f: 3 }, { h: 4 }, { j: 5 }])
})

test('each of many data costs its own length', () => {
  const script = each(100, (i) => `window.a${i}={b:${i}};`)
  const budget = new PageBudget()
  atOnce(
    pageStateParts(parseTree(`<script>${script}</script>`, false, new PageBudget()), budget, false),
  )
  expect(budget.spent.steps).toBeLessThan(40 * script.length)
})

test('the end of JSON is looked for once in a script that has none', () => {
  const text = `${`window.a=["x",'{'];`.repeat(98)}window.z={k:"${'x'.repeat(9_000)}"}`
  const tree = parseTree(`<script>${text}</script>`, false, new PageBudget())
  const budget = new PageBudget()
  const reads = vi.spyOn(String.prototype, 'charAt')
  try {
    expect(atOnce(pageStateParts(tree, budget, false))).toHaveLength(99)
    expect(reads.mock.calls.length).toBeLessThan(4 * text.length)
  } finally {
    reads.mockRestore()
  }
})

test('a search for the end of JSON is charged where there is none', () => {
  const stepsOf = (name: string): number => {
    const text = `window.a={${name}:'{'};window.z={k:"${'x'.repeat(9_000)}"}`
    const budget = new PageBudget()
    atOnce(
      pageStateParts(parseTree(`<script>${text}</script>`, false, new PageBudget()), budget, false),
    )
    return budget.spent.steps
  }
  expect(stepsOf('"b"') - stepsOf(' b ')).toBeGreaterThan(2_000)
})

test('characters of a script are paid for before they are read', () => {
  for (const [before, part] of [
    ['{a:"', 'x'],
    ['{a:b ', '+ c '],
    ['{a:1', '/**/'],
  ] as const) {
    const budget = new PageBudget({ steps: 1_000, bytes: 1_000 })
    const text = before + part.repeat(9_000)
    const reads = vi.spyOn(String.prototype, 'charAt')
    try {
      expect(() => readScriptLiteral(text, 0, budget)).toThrow(/steps/)
      expect(reads.mock.calls.length).toBeLessThan(1_000)
    } finally {
      reads.mockRestore()
    }
  }
})

test('a date of numbers has months from 0, and no zone', () => {
  const dates = [
    ['2020,1,2', '2020-02-02'],
    ['2020, 11', '2020-12-01'],
    ['99,0,32', '1999-02-01'],
    ['2020,1,2,10,30', '2020-02-02T10:30:00'],
    ['2020,1,2,0,0,0,5', '2020-02-02T00:00:00.005'],
    ['2020,x,2', null],
    ['1e9,1,2', null],
    ['2020', '1970-01-01T00:00:02.020Z'],
  ] as const
  const read = dates.map(([parts]) => stateOf(`window.a={b:new Date(${parts}),c:1,d:2}`)[0])
  expect(read).toEqual(dates.map(([, date]) => ({ b: date, c: 1, d: 2 })))
})

test('an assignment that is not data is skipped', async () => {
  const fails = await failingCases(
    [
      'window.a={b:c}',
      'window.a={b(){return 1}}',
      'window.a={b:1+1}',
      'window.a={b:`${c}`}',
      'window.a=(function(){alert(1);return {}}())',
      'window.a=(function(a){a.b=a;return {a',
      'window.a={b:"c',
      'window.a={b:"\\u{ffffff}"}',
      `window.a=${'['.repeat(100)}`,
      `window.a=${'!'.repeat(100_000)}1`,
      'window.a=function(){return {}}',
    ],
    (script) => script.slice(0, 100),
    (script) => expect(stateOf(script)).toEqual([]),
  )
  expect(fails).toEqual([])
})

test('names that stand for each other end, whatever they would become', () => {
  const loop = 'window.a=(function(a){a.b=a;return {a}}({}))'
  expect(JSON.stringify(stateOf(loop)).length).toBeLessThan(1_000)
  const names = Array.from({ length: 25 }, (_, i) => `a${i}`)
  const doubled = names.slice(1).map((name, i) => `${name}.b=[a${i},a${i}];`)
  const all = `window.a=(function(${names.join()}){${doubled.join('')}return {c:a24}}(${names.map(() => '{}').join()}))`
  expect(stateOf(all)).toEqual([])
})

test('a value that only a script can compute is null, and the rest of the data is read', async () => {
  const fails = await failingCases(
    [
      ['-Infinity', null],
      ['10n', null],
      ['1/0', null],
      ['new Map([["k",1]])', null],
      ['c', null],
      ['!c', null],
      ['"x"+"y,}"', null],
      ['d=>(1,2)', null],
      ['function(){return "}"}', null],
      ['[c,1,2]', [null, 1, 2]],
      ['`x ${c} y`', null],
      ['`${f(`a}${"`"}`, {d: 1})}}`', null],
      ['`$ {c} ${d}`', null],
      ['/[/"]\\/}/gi', null],
      ['c.replace(/["\',]/g, "")', null],
      ['[/a/, `b`]', [null, 'b']],
      ['{...c,e:1,f(){return 1},[g]:2}', { e: 1 }],
    ] as const,
    ([source]) => source,
    ([source, value]) =>
      expect(stateOf(`window.a={x:1,y:2,z:[3,4],w:"5",b:${source},v:6}`)).toEqual([
        { x: 1, y: 2, z: [3, 4], w: '5', b: value, v: 6 },
      ]),
  )
  expect(fails).toEqual([])
  // A slash after a number that is counted divides: it begins no pattern that would hide what follows.
  for (const counted of ['i++/2', 'i--/2'])
    expect(stateOf(`window.a={x:1,n:${counted},y:2,m:1/4,z:[3,4],w:"5",v:6}`)).toEqual([])
})

test('patterns, comments and texts of functions are not brackets of the data around them', async () => {
  const data = { x: 1, y: 2, z: [3, 4], w: '5' }
  const fails = await failingCases(
    [
      'f(){return /["\'{(]/.test(a)}',
      'f(a){if(a)/[{"]/.exec(a);return a/2}',
      'f(a){return (a+1)/2+"/{"+b[0]/c.in/d}',
      "f(){/* don't { */ return 1 // it's {\n}",
      'f(){return `a ${b + `${"}"}`} {`}',
      'f:a=>a.replace(/\\//g,"").split(/[,"]/)',
    ],
    (source) => source,
    (source) => {
      const body = `{x:1,${source},y:2,z:[3,4],w:"5"}`
      const called = `(function(a,b){return {x:a,${source},y:2,z:[3,4],w:b}}(1,"5"))`
      for (const script of [body, called, `(a=>(${body}))(1)`.replace('(a=>', '((a)=>')]) {
        const [state] = stateOf(`window.a=${script}`)
        expect(state).toMatchObject(data)
      }
    },
  )
  expect(fails).toEqual([])
})

test('texts in functions are nothing that only a script could tell', () => {
  const functions = Array.from({ length: 4 }, (_, i) => `f${i}(){return \`\${a} \${b}\`+\`\${c}\`}`)
  expect(stateOf(`window.a={x:1,y:2,z:3,v:4,w:5,u:6,${functions.join()}}`)).toEqual([
    { x: 1, y: 2, z: 3, v: 4, w: 5, u: 6 },
  ])
})

test('empty places are paid for, and all values before they are made', () => {
  const budget = new PageBudget({ steps: 1e9, bytes: 8_000 })
  expect(() => readScriptLiteral(`{a:[${','.repeat(2_000)}]}`, 0, budget)).toThrow(/bytes/)
  // The text ends too early, so that its end would be no place to pay.
  const unended = new PageBudget({ steps: 1e9, bytes: 8_000 })
  expect(() => readScriptLiteral(`{a:[${'1,'.repeat(2_000)}`, 0, unended)).toThrow(/bytes/)
})

test('JSON.parse reads JSON alone, whose depth and size count', () => {
  const scripts = [
    `(function(a){a.x=a;return a}({}))`,
    `(function(a,b){b.x=a;b.y=a;return b}({},{}))`,
    `{b:1}`,
    `[1,JSON.parse(1)]`,
  ]
  for (const script of scripts)
    expect(stateOf(`window.a=JSON.parse(${JSON.stringify(script)})`)).toEqual([])
  const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  const around = (levels: number): string => `window.a={b:[JSON.parse("${deep(levels)}")]}`
  expect(stateOf(around(61))).toHaveLength(1)
  expect(stateOf(around(63))).toEqual([])
  // The text is given once, and read a thousand times.
  const parsed = 'JSON.parse(a),'.repeat(1_000)
  const text = `(function(a){return {b:[${parsed}]}}("[${'0,'.repeat(1_000)}0]"))`
  const budget = new PageBudget()
  readScriptLiteral(text, 0, budget)
  expect(budget.spent.bytes).toBeGreaterThan(8_000_000)
  expect(budget.spent.steps).toBeGreaterThan(2_000_000)
  expect(stateOf('window.a={b:JSON.parse("[-0,1e999]")}')).toEqual([{ b: [0, null] }])
})

test('the flat state of Nuxt 3 is put together', () => {
  const flat = [
    { data: 1, state: 5 },
    ['ShallowReactive', 2],
    { list: 3, when: 6, none: -1 },
    [4, 4],
    { name: 7, price: 8 },
    ['Reactive', 9],
    ['Date', '2026-01-02T00:00:00.000Z'],
    'Lamp',
    12,
    {},
  ]
  const attributes = ' type="application/json" id="__NUXT_DATA__" data-ssr="true"'
  const lamp = { name: 'Lamp', price: 12 }
  expect(stateOf(JSON.stringify(flat), attributes)).toEqual([
    { data: { list: [lamp, lamp], when: '2026-01-02T00:00:00.000Z', none: null }, state: {} },
  ])
  // Parts that stand for ever more values stay as they are.
  const doubled = [
    ...Array.from({ length: 40 }, (_, i) => (i === 0 ? { a: 1 } : [i + 1, i + 1])),
    'x',
  ]
  expect(stateOf(JSON.stringify(doubled), attributes)).toEqual([doubled])
})

test('a list in such state is the list of a page that scripts write', () => {
  const items = each(5, (i) => `{name:"Chair number ${i}",price:${i}0,sku:a}`)
    .split('\n')
    .join()
  const script = `<script>window.__NUXT__=(function(a){return {data:[{items:[${items}]}]}}("c-1"));</script>`
  const { kind, first, rows } = found(`<div id="__nuxt"></div>${script}`)
  expect([kind, rows.length]).toEqual(['list', 5])
  expect(first).toEqual({ name: 'Chair number 1', price: 10, sku: 'c-1' })
})

test('objects by their ids are a list, in the cache of a client those of one type', () => {
  const named = (make: (i: number) => string): string => each(4, make).split('\n').join()
  const item = (i: number): string => `{"__typename":"Product","name":"Sofa ${i}","price":${i}9}`
  const typed = `{${named((i) => `"Product:${i}":${item(i)}`)},"ROOT_QUERY":{"__typename":"Query"}}`
  const byId = `{"entities":{${named((i) => `"id${i}":{"name":"Sofa ${i}","price":${i}9}`)}}}`
  for (const state of [typed, byId]) {
    const { rows, first } = found(`<div></div><script>window.__APOLLO_STATE__=${state}</script>`)
    expect(first).toEqual({ name: 'Sofa 1', price: 19 })
    expect(rows).toHaveLength(4)
  }
  const settings = `{${named((i) => `"part ${'abcd'[i]}":{"name":"Sofa","price":1}`)}}`
  expect(found(`<div></div><script>window.a=${settings}</script>`).kind).toBe('page')
})
