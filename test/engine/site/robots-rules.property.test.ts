import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRobots } from '../../../src/engine/site/robots-rules.ts'
import { Pace, SliceScheduler } from '../../../src/kernel/pace.ts'
import { anyPath } from '../../support/any-text.ts'
import { cpuMs } from '../../support/cpu-ms.ts'
import { failingCases } from '../../support/failing-cases.ts'

const rules = (text: string) => parseRobots(text, 'Seine', 'https://a.com')
const allowed = (text: string, path: string) => rules(text).allows(path)
const group = (...lines: string[]) => `User-agent: *\n${lines.join('\n')}\n`

describe('the rule that decides', () => {
  const cases: readonly (readonly [lines: readonly string[], path: string, allowed: boolean])[] = [
    [['Disallow: /'], '/x', false],
    [['Disallow:'], '/x', true],
    [['Disallow: /a', 'Allow: /a/b'], '/a/b/c', true],
    [['Allow: /a/b', 'Disallow: /a'], '/a/c', false],
    [['Disallow: /a/b', 'Allow: /a/b'], '/a/b', true], // a tie
    [['Allow: /page', 'Disallow: /*.htm'], '/page.htm', false], // six octets against five
    [['Allow: /$', 'Disallow: /'], '/', true],
    [['Allow: /$', 'Disallow: /'], '/x', false],
    [['Disallow: /'], '/robots.txt', true],
    [['Disallow: /fish'], '/fish.html', false],
    [['Disallow: /fish'], '/Fish', true],
    [['Disallow: /fish/'], '/fish', true],
    [['Disallow: /?q='], '/?q=1', false],
    [['Disallow: nonsense'], '/nonsense', true],
    [['Disallow: *?sort='], '/list?sort=up', false],
    [['Noindex: /x', 'Disallow: /x # why', '# Allow: /x'], '/x', false],
    [['DISALLOW :/x'], '/x', false],
    [[`Disallow: /${'x'.repeat(9_000)}`], `/${'x'.repeat(9_000)}`, true],
  ]

  test('is told as its file has it, and none where no rule is about the path', async () => {
    const { ruleFor } = rules(group('disallow: /a*b$ # why', 'ALLOW: /a/'))
    expect(await ruleFor('/axb')).toEqual({ allow: false, line: 'Disallow: /a*b$' })
    expect(await ruleFor('/a/c')).toEqual({ allow: true, line: 'Allow: /a/' })
    expect(await ruleFor('/c')).toBeNull()
    expect(await rules('').ruleFor('/')).toBeNull()
  })

  test('is the longest that matches, and of two the one that allows', async () => {
    const failing = await failingCases(cases, JSON.stringify, async ([lines, path, expected]) =>
      expect(await allowed(group(...lines), path)).toBe(expected),
    )
    expect(failing).toEqual([])
  })
})

describe('patterns', () => {
  const cases: readonly (readonly [pattern: string, path: string, matches: boolean])[] = [
    ['/*.php', '/a/b.php?x', true],
    ['/*.php$', '/a.php', true],
    ['/*.php$', '/a.php?x', false],
    ['/*.php$', '/a.php.php', true],
    ['/a*b*c', '/a-b-c-d', true],
    ['/a*b*c', '/acb', false],
    ['/a*b$', '/ab-ab', true],
    ['/a*ab$', '/ab', false],
    ['/***a', '/xa', true],
    ['/a$b', '/a$b', true],
    ['/a$b', '/a', false],
    ['*', '/', true],
    ['/a*$', '/abc', true],
    ['/a$', '/a', true],
    ['/a$', '/ab', false],
    ['/*/', '/a', false],
    ['/caf\u00e9', '/caf%C3%A9', true],
    ['/caf%c3%a9', '/caf%C3%A9', true],
    ['/%7Efoo', '/~foo', true],
    ['/~foo', '/%7efoo', true],
    ['/a%2fb', '/a/b', false],
    ['/a%2Fb', '/a%2fb', true],
    ['/a%2A', '/a*', true],
    ['/a%2A', '/ab', false],
    ['/a%24', '/a$', true],
    ['/a b', '/a%20b', true],
    ['/a%', '/a%', true],
    ['/"x"', '/%22x%22', true],
    ["/?q='x'", '/?q=%27x%27', true],
    ['/\ud83d\udc1f', '/%F0%9F%90%9F', true],
  ]

  test('match paths, with wildcards, an end and every encoding', async () => {
    const failing = await failingCases(cases, JSON.stringify, async ([pattern, path, matches]) =>
      expect(await allowed(group(`Disallow: ${pattern}`), path)).toBe(!matches),
    )
    expect(failing).toEqual([])
  })

  test('agree with a regular expression made from them', async () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '.') })
    await fc.assert(
      fc.asyncProperty(
        part,
        fc.boolean(),
        fc.string({ unit: fc.constantFrom('a', 'b', '/', '.') }),
        async (inner, isAnchored, tail) => {
          const source = inner.replaceAll('.', '\\.').replaceAll('/', '\\/').replace(/\*+/g, '.*')
          const expected = new RegExp(`^\\/${source}${isAnchored ? '$' : ''}`).test(`/${tail}`)
          expect(
            await allowed(group(`Disallow: /${inner}${isAnchored ? '$' : ''}`), `/${tail}`),
          ).toBe(!expected)
        },
      ),
      { numRuns: 5_000 },
    )
  })

  test('that are made to be slow are matched quickly', async () => {
    const evil = Array.from({ length: 100 }, () => `Disallow: /${'*a'.repeat(2_000)}*b$`)
    const { allows } = rules(group(...evil))
    const started = cpuMs()
    expect(await allows(`/${'a'.repeat(8_000)}`)).toBe(true)
    expect(cpuMs() - started).toBeLessThan(1_000)
  })
})

describe('the group that counts', () => {
  const cases: readonly (readonly [text: string, path: string, allowed: boolean])[] = [
    ['User-agent: *\nDisallow: /\n\nUser-agent: seine\nDisallow: /x', '/y', true],
    ['User-agent: SEINE/2.0 (x)\nDisallow: /x', '/x', false],
    ['User-agent: seinebot\nDisallow: /', '/x', true],
    ['User-agent: sein\nDisallow: /', '/x', true],
    [
      'User-agent: seine\nDisallow: /a\nUser-agent: other\nDisallow: /b\nUser-agent: seine\nDisallow: /c',
      '/a',
      false,
    ],
    [
      'User-agent: seine\nDisallow: /a\nUser-agent: other\nDisallow: /b\nUser-agent: seine\nDisallow: /c',
      '/b',
      true,
    ],
    [
      'User-agent: seine\nDisallow: /a\nUser-agent: other\nDisallow: /b\nUser-agent: seine\nDisallow: /c',
      '/c',
      false,
    ],
    ['User-agent: other\nUser-agent: seine\n\nDisallow: /a', '/a', false],
    ['User-agent: seine\nSitemap: https://a.com/s.xml\nUser-agent: *\nDisallow: /', '/a', false],
    ['User-agent: *\nCrawl-delay: 5\n\nUser-agent: other\nDisallow: /', '/a', true],
    ['User-agent: *\nDisallow: /\nUser-agent: seine', '/a', true],
    ['Disallow: /', '/a', true],
    ['user-agent:*\rdisallow:/a\r\nDISALLOW:/b', '/b', false],
    ['<html><body>User-agent: *</body></html>', '/', true],
  ]

  test('is the one that names the crawler, or else the group for all', async () => {
    const failing = await failingCases(cases, JSON.stringify, async ([text, path, expected]) =>
      expect(await allowed(text, path)).toBe(expected),
    )
    expect(failing).toEqual([])
  })
})

test('crawl delay and sitemaps are read', () => {
  expect(
    rules(
      'Sitemap: /s.xml\nUser-agent: *\nCrawl-delay: 1.5\nCrawl-delay: 9\n' +
        'Sitemap: https://b.com/t.xml # too\nsitemap: https://a.com/s.xml\n' +
        'Sitemap:\nSitemap: http://[',
    ),
  ).toMatchObject({
    crawlDelayMs: 1_500,
    sitemaps: ['https://a.com/s.xml', 'https://b.com/t.xml'],
  })
  for (const odd of ['-1', '0', 'x', '', '1e9', 'Infinity'])
    expect(rules(group(`Crawl-delay: ${odd}`)).crawlDelayMs).toBeNull()
})

test('lines that come again cost nothing, and of sitemaps 1,000 different ones are read', async () => {
  const many = (make: (index: number) => string): string =>
    Array.from({ length: 3_000 }, (_, index) => make(index)).join('\n')
  expect(rules(many((index) => `Sitemap: /${index}.xml`)).sitemaps).toHaveLength(1_000)
  expect(rules(`${many(() => 'Sitemap: http://[')}\nSitemap: /s.xml`).sitemaps).toHaveLength(1)
  // A rule may come again after thousands of others.
  const text = group(
    'Disallow: /a',
    many((index) => `Allow: /${index}`),
    'Disallow: /a',
  )
  expect(await allowed(text, '/a')).toBe(false)
  expect(await allowed(text, '/2999')).toBe(true)
})

test('no text throws an error', async () => {
  const line = fc
    .tuple(
      fc.constantFrom('User-agent', 'Disallow', 'Allow', 'Sitemap', 'Crawl-delay', 'x'),
      fc.oneof(fc.string(), fc.constant('*')),
    )
    .map(([key, value]) => `${key}: ${value}`)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(line, fc.string()), { maxLength: 20 }),
      anyPath,
      async (lines, path) => typeof (await allowed(lines.join('\n'), path || '/')) === 'boolean',
    ),
    { numRuns: 1_000 },
  )
})

test('very many rules are judged in slices', async () => {
  let rests = 0
  let now = 0
  const pace = new Pace({
    now: () => (now += 10),
    scheduler: new SliceScheduler(async () => void rests++),
  })
  const many = rules(
    group(...Array.from({ length: 3_000 }, (_, index) => `Disallow: /*a${index}b`), 'Disallow: /a'),
  )
  expect(await many.allows('/aaaa', pace)).toBe(false)
  expect(rests).toBe(3_000)
})
