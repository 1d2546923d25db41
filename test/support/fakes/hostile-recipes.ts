/** JSON of a recipe, whatever is wrong with it. */
export type HostileRecipe = Readonly<Record<string, unknown>>

/** The largest body that the platform reads, without the rest of the body around a recipe. */
const ROOM = 1_048_576 - 200

const START = { urls: ['https://shop.example.com/'] }
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const named = (count: number, make: (i: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(times(count, (i) => [`c${i}`, make(i)]))
const starts = (urls: readonly string[]): HostileRecipe => ({ start: { urls } })
const fields = (sources: Record<string, unknown>): HostileRecipe => ({
  start: START,
  extract: { fields: sources },
})

/**
 * As many sources as fit a body: 20 to a column, 200 columns to a level, and levels below the
 * sources where one is full.
 */
function filling(make: (i: number) => unknown): HostileRecipe {
  let count = Math.floor(ROOM / (JSON.stringify(make(10_000)).length + 1))
  for (;;) {
    const recipe = withSources(count, make)
    const over = JSON.stringify(recipe).length - ROOM
    if (over <= 0) return recipe
    count -= Math.ceil((over / ROOM) * count)
  }
}

function withSources(count: number, make: (i: number) => unknown): HostileRecipe {
  if (count <= 4_000)
    return fields(
      named(Math.ceil(count / 20), (i) =>
        times(Math.min(20, count - i * 20), (one) => make(i * 20 + one)),
      ),
    )
  return fields(
    named(200, (i) =>
      times(20, (one) => ({
        css: 'a',
        fields: named(Math.max(1, Math.floor(count / 4_000)), (inner) =>
          make((i * 20 + one) * 50 + inner),
        ),
      })),
    ),
  )
}

/** Nested columns, as deep as a body may be. */
function deepFields(levels: number, make: () => unknown): unknown {
  return levels === 0 ? make() : { css: 'a', fields: { a: deepFields(levels - 1, make) } }
}

const text = (part: string, length: number): string =>
  part.repeat(Math.ceil(length / part.length)).slice(0, length)

/** Recipes that cost more to read than a recipe should, one for each way that is known. */
export const HOSTILE_RECIPES: Readonly<Record<string, () => HostileRecipe>> = {
  '1,000 patterns that fold into one page each': () =>
    starts(times(1_000, (i) => `https://a.example.com/${i}#{1..9000}`)),
  '10,000 patterns that fold into one page': () =>
    starts(times(10_000, () => 'https://a.example.com/0#{1..9000}')),
  '10,000 patterns of tracking parameters': () =>
    starts(times(10_000, () => 'https://a.example.com/?utm_id={1..9000}')),
  '400 URLs of 2 KB with 9,000 pages each': () =>
    starts(times(400, () => `https://a.example.com/${text('a', 2_000)}#{1..9000}`)),
  '500 URLs of groups of one choice': () =>
    starts(times(500, () => `https://a.example.com/${text('{,}', 30)}${text('{1..1}', 1_980)}`)),
  '500 URLs of empty groups': () =>
    starts(times(500, () => `https://a.example.com/${text('{}', 2_000)}`)),
  '500 URLs of open braces': () =>
    starts(times(500, () => `https://a.example.com/${text('{', 2_000)}`)),
  '500 URLs of commas in a group': () =>
    starts(times(500, () => `https://a.example.com/{${text(',', 2_000)}}`)),
  '500 URLs of percent signs': () =>
    starts(times(500, (i) => `https://a.example.com/${i}/${text('%7e', 1_980)}`)),
  '500 URLs of parameters': () =>
    starts(times(500, (i) => `https://a.example.com/?${i}&${text('utm_a&', 1_980)}`)),
  '500 URLs of letters to encode': () =>
    starts(times(170, (i) => `https://a.example.com/${i}/${text('é', 2_000)}`)),
  '10,000 start URLs': () =>
    starts(times(10_000, (i) => `https://shop.example.com/catalogue/products/item-${i}.html`)),
  '100,000 URLs': () => starts(times(30_000, (i) => `https://a.example.com/${i}`)),
  '300,000 empty URLs': () => starts(times(340_000, () => '')),
  'private addresses': () => starts(times(10_000, (i) => `http://10.0.0.1/p/${i}`)),
  'a private address for each of many pages': () =>
    starts(
      times(10_000, (i) => (i === 9_999 ? 'http://10.0.0.1/' : `https://a.example.com/${i}/{1,2}`))
        .slice(0, 4_900)
        .concat('http://10.0.0.1/'),
    ),
  'international hosts': () => starts(times(10_000, (i) => `https://bücher${i}.example.com/`)),
  '4,000 patterns': () =>
    fields(
      named(200, (i) => times(20, (one) => ({ css: 'a', regex: `(\\d+)[a-z]{1,20}${i}x${one}` }))),
    ),
  'patterns to 1 MiB': () => filling((i) => ({ css: 'a', regex: `(\\d+)[a-z]{1,20}${i}` })),
  'patterns of large counts': () =>
    filling((i) => ({ css: 'a', regex: `${text('a{1000}', 476)}${i}` })),
  'patterns of counts inside counts': () =>
    filling((i) => ({ css: 'a', regex: `${text('((a{10}){10}){10}', 476)}${i}` })),
  'patterns of optional counts': () =>
    filling((i) => ({ css: 'a', regex: `${text('(?:a{0,1000})', 476)}${i}` })),
  'patterns of classes': () =>
    filling((i) => ({ css: 'a', regex: `${text('\\pL\\PL', 480)}${i}` })),
  'patterns of classes without case': () =>
    filling((i) => ({ css: 'a', regex: `(?i)${text('[^\\PL]\\pL', 450)}${i}` })),
  'patterns of ranges without case': () =>
    filling((i) => ({ css: 'a', regex: `(?i)[${text('a-\\x{10ffff}', 420)}]${i}` })),
  'patterns of parentheses': () =>
    filling((i) => ({ css: 'a', regex: `${text('(', 240)}${i}${text(')', 240)}` })),
  'patterns of stars': () =>
    filling((i) => ({ css: 'a', regex: `${text('(', 160)}${i}${text(')*', 320)}` })),
  'patterns of alternatives': () =>
    filling((i) => ({ css: 'a', regex: `${text('ab|ac|', 480)}${i}` })),
  'patterns to replace': () =>
    filling((i) => ({
      css: 'a',
      transform: times(20, (one) => ({ replace: { regex: `${i}a{900}${one}`, with: '' } })),
    })),
  'selectors of alternatives': () => filling(() => ({ css: text('[z],', 199) + 'b' })),
  'selectors of parts': () => filling(() => ({ css: `${text('a>', 198)}b` })),
  'selectors of :not': () =>
    filling((i) => ({ css: `${text(':not(a:not(b:not(c)))', 990)}${i % 10}`.slice(0, 990) })),
  'selectors of :has': () => filling(() => ({ css: text(':has(a)', 350) })),
  'selectors of :nth-child': () => filling(() => ({ css: text(':nth-child(2n+1)', 992) })),
  'selectors of :contains': () => filling(() => ({ css: `:contains(${text('a', 900)})` })),
  'selectors of escapes': () => filling(() => ({ css: text('\\61', 990) })),
  'selectors of white space': () => filling(() => ({ css: `a${' '.repeat(990)}b` })),
  'short selectors': () => filling(() => 'a b'),
  'wrong selectors': () => filling((i) => `a[${i}`),
  'XPaths of steps': () => filling(() => ({ xpath: text('/a', 118) })),
  'XPaths of predicates': () => filling(() => ({ xpath: `/a${text('[1]', 990)}` })),
  'XPaths of sums': () => filling(() => ({ xpath: `/a[${text('1+', 116)}1]` })),
  'XPaths of unions': () => filling(() => ({ xpath: `${text('a|', 118)}a`.replace('a', '/a') })),
  'XPaths of calls': () => filling(() => ({ xpath: `/a[${text('concat(1,1)=', 600)}1]` })),
  'JSONPaths of wildcards': () => filling(() => ({ json: `$[${text('*,', 478)}*]` })),
  'JSONPaths of names': () => filling(() => ({ json: `$${text('.a', 480)}` })),
  'JSONPaths of descendants': () => filling(() => ({ json: `$${text('..*', 480)}` })),
  'JSONPaths of filters': () => filling(() => ({ json: `$${text('[?@.a]', 30)}` })),
  'JSONPaths of filters in filters': () =>
    filling(() => ({ json: `$${text('[?@', 12)}${text(']', 4)}` })),
  'fields in fields to 1 MiB': () =>
    fields(named(200, () => times(9, () => deepFields(20, () => 'a')))),
  'fields as deep as a body may be': () =>
    fields(named(200, () => deepFields(28, () => ({ css: 'a', regex: 'a' })))),
  'sources to 1 MiB': () => filling(() => ({ css: 'a' })),
  'sources with everything': () =>
    filling(() => ({ css: 'a', attr: 'b', as: 'text', many: true, transform: ['trim'] })),
  transforms: () => filling(() => ({ css: 'a', transform: times(20, () => 'trim') })),
  maps: () =>
    filling((i) => ({
      css: 'a',
      transform: [{ map: Object.fromEntries(times(500, (one) => [`${i}${one}`, 1])) }],
    })),
  'constants of numbers': () => fields({ a: { const: times(500_000, () => 1) } }),
  'constants of objects': () => fields({ a: { const: times(100_000, () => ({ a: [] })) } }),
  'constants of names': () => fields({ a: { const: named(90_000, () => 1) } }),
  'constants that are deep': () => fields(named(200, () => ({ const: times(30, () => nest(50)) }))),
  models: () => filling(() => ({ model: 'a price', fields: { a: { model: 'a' } } })),
  '90,000 unknown names': () => ({ start: START, ...named(90_000, () => 1) }),
  '90,000 unknown columns': () => fields(named(90_000, () => 5)),
  '70,000 columns': () => fields(named(70_000, () => 'a')),
  '70,000 headers': () => ({ start: START, page: { headers: named(70_000, () => 'a') } }),
  '60,000 rules': () => ({ start: START, follow: times(60_000, () => ({ links: 'a' })) }),
  '60,000 rules that are none': () => ({ start: START, follow: times(60_000, () => ({ x: 1 })) }),
  'rules with many unknown names': () => ({
    start: START,
    follow: times(50, () => named(1_500, () => 1)),
  }),
  'sources with many unknown names': () => fields(named(60, () => named(1_500, () => 1))),
  'lists for sources': () => fields(named(200, () => times(20, () => times(60, () => [])))),
  labels: () => ({
    start: START,
    follow: times(50, (i) => ({ links: 'a', on: `${i}`, as: `l${i}` })),
  }),
  globs: () => ({
    start: START,
    crawl: {
      include: times(100, () => text('*a', 500)),
      exclude: times(100, () => text('**/', 500)),
    },
  }),
  'glob lists to 1 MiB': () => ({ start: START, crawl: { include: times(250_000, () => 'a') } }),
  actions: () => ({
    start: START,
    page: { render: 'browser', actions: times(20, () => ({ click: text('[z],', 199) + 'b' })) },
  }),
  'actions to 1 MiB': () => ({
    start: START,
    page: { actions: times(60_000, () => ({ click: 'a' })) },
  }),
  formats: () => ({ start: START, formats: times(120_000, () => 'text') }),
  'a long name': () => fields({ [text('a', 1_000_000)]: 'a' }),
  'a long selector': () => fields({ a: text('a ', 1_000_000) }),
  'a long pattern': () => fields({ a: { css: 'a', regex: text('(', 1_000_000) } }),
  'a long start URL': () => starts([`https://a.example.com/${text('{1,2}', 1_000_000)}`]),
  'unique columns': () => ({
    start: START,
    extract: { fields: { a: 'a' } },
    output: { unique: times(150_000, () => 'aaa') },
  }),
  'names that are not allowed': () =>
    fields(JSON.parse(`{${times(30_000, (i) => `"c${i}":{"constructor":"a"}`).join(',')}}`)),
}

function nest(levels: number): unknown {
  return levels === 0 ? 1 : [nest(levels - 1)]
}
