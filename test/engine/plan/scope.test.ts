import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { prepareRecipe } from '../../../src/engine/plan/prepare-recipe.ts'
import type { Recipe } from '../../../src/engine/recipe/schema.ts'

beforeAll(() => prepareRecipe({ start: {}, crawl: { scope: 'domain' } }))

const urls = [
  'https://shop.example.co.uk/list/page?x=1',
  'https://shop.example.co.uk/list/a',
  'https://www.shop.example.co.uk/b',
  'https://example.co.uk/',
  'https://other.co.uk/',
  'http://shop.example.co.uk:8080/list/',
]

function inScope(crawl: Recipe['crawl'], follow?: Recipe['follow']): number[] {
  const plan = compileRecipe({
    start: { urls: ['https://shop.example.co.uk/list/page?x=1'] },
    ...(crawl === undefined ? {} : { crawl }),
    ...(follow === undefined ? {} : { follow }),
  })
  return urls.flatMap((url, index) => (plan.inScope(url) ? [index] : []))
}

test('each scope includes the right URLs', () => {
  expect(inScope({ scope: 'page' })).toEqual([0])
  expect(inScope({ scope: 'path' })).toEqual([0, 1])
  expect(inScope({ scope: 'host' })).toEqual([0, 1, 2])
  expect(inScope({ scope: 'domain' })).toEqual([0, 1, 2, 3, 5])
  expect(inScope({ scope: 'any' })).toEqual([0, 1, 2, 3, 4, 5])
})

test('by default a crawl stays on its host, and rules may lead anywhere', () => {
  expect(inScope({ maxDepth: 2 })).toEqual([0, 1, 2])
  expect(inScope(undefined, [{ links: 'a' }])).toEqual([0, 1, 2, 3, 4, 5])
  expect(inScope({ scope: 'host' }, [{ links: 'a' }])).toEqual([0, 1, 2])
})

test('include and exclude narrow the scope', () => {
  expect(inScope({ scope: 'any', include: ['**/list/**'], exclude: ['/list/a'] })).toEqual([0, 5])
  expect(inScope({ scope: 'any', exclude: ['**.co.uk/**'] })).toEqual([5])
  expect(inScope({ scope: 'any', exclude: ['**'] })).toEqual([])
})

test('a text that is not a URL is out of scope', () => {
  expect(compileRecipe({ start: { urls: ['https://a.example/'] } }).inScope('nonsense')).toBe(false)
})

test('the scope path includes everything below the folder of any start URL', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', 'a-', '', 'é', '~'), { maxLength: 4 })
    .map((parts) => `/${parts.join('/')}`)
  const url = fc
    .tuple(fc.constantFrom('a.example', 'www.a.example', 'b.example'), path)
    .map(([host, rest]) => `https://${host}${rest}`)
  const folderOf = (text: string, whole: boolean): string => {
    const { host, pathname } = new URL(text)
    return (
      host.replace('www.', '') +
      (whole ? pathname : pathname.slice(0, pathname.lastIndexOf('/') + 1))
    )
  }
  fc.assert(
    fc.property(fc.array(url, { minLength: 1, maxLength: 8 }), url, (starts, target) => {
      const plan = compileRecipe({ start: { urls: starts }, crawl: { scope: 'path' } })
      expect(plan.inScope(target)).toBe(
        starts.some((start) => folderOf(target, true).startsWith(folderOf(start, false))),
      )
    }),
  )
})
