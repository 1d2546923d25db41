import fc from 'fast-check'
import { IttyRouter } from 'itty-router'
import { expect, test } from 'vitest'
import type { AnyRoute } from '../../src/kernel/http/route.ts'
import { createRouter } from '../../src/http/router.ts'
import { featureRoutes } from '../support/sources/client-source.ts'

const [template] = await featureRoutes()

/** A router of these paths, which gives the pattern of a path and its parameters. */
function routerOf(...paths: readonly string[]) {
  if (!template) throw new Error('There is no route')
  const find = createRouter(
    paths.map((path): AnyRoute => ({ ...template, path, operation: `get ${path}` })),
  )
  return (pathname: string) => {
    const match = find(pathname)
    return match && { path: match.entry.path, params: match.params }
  }
}

test('fixed segments come before parameters, also after backtracking', () => {
  const find = routerOf(
    '/tasks/:id/preview/:n',
    '/tasks/:id',
    '/tasks/preview',
    '/tasks/preview/now/:day',
  )
  expect(find('/tasks/preview')).toEqual({ path: '/tasks/preview', params: {} })
  expect(find('/tasks/x%20y')).toEqual({ path: '/tasks/:id', params: { id: 'x%20y' } })
  expect(find('/tasks/preview/preview/2')).toEqual({
    path: '/tasks/:id/preview/:n',
    params: { id: 'preview', n: '2' },
  })
  expect(find('/tasks')).toBeNull()
  expect(find('/tasks/preview/now')).toBeNull()
})

test('slashes at the end are ignored, and elsewhere they make segments', () => {
  const find = routerOf('/tasks', '/tasks/:id', '/media/:path+')
  expect(find('/tasks//')).toEqual({ path: '/tasks', params: {} })
  expect(find('/tasks/1/')).toEqual({ path: '/tasks/:id', params: { id: '1' } })
  expect(find('/media/a/b')).toEqual({ path: '/media/:path+', params: { path: 'a/b' } })
  for (const path of ['/', '', '//', '//tasks', '/tasks//1', '/constructor', '/__proto__'])
    expect(find(path)).toBeNull()
})

test('two routes of one path and method are refused', () => {
  expect(() => routerOf('/tasks', '/tasks')).toThrow('Two routes')
})

test('the router finds the same route as one that tries all patterns', async () => {
  const segment = fc.constantFrom('a', 'b', 'a.b', 'c-d')
  const pattern = fc
    .tuple(
      fc.array(fc.oneof(segment, fc.constant(':')), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '', '+'),
    )
    .map(([parts, end]) => {
      const path = parts.map((part, index) => (part === ':' ? `/:p${index}` : `/${part}`)).join('')
      return parts.at(-1) === ':' ? path + end : path
    })
  const calls = fc
    .tuple(
      fc.array(fc.oneof(segment, fc.constantFrom('x', 'axb', '%2F', '')), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.constantFrom('', '', '/', '//'),
    )
    .map(([parts, end]) => `/${parts.join('/')}${end}`)
  const sortKey = (text: string) => text.replaceAll(':', '\uffff')
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(pattern, { minLength: 1, maxLength: 12 }),
      calls,
      async (patterns, path) => {
        const router = IttyRouter()
        for (const one of patterns.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)))
          router.all(one, ({ params }) => ({ path: one, params: { ...params } }))
        const expected: unknown =
          (await router.fetch({ method: 'GET', url: `http://localhost${path}` })) ?? null
        expect(routerOf(...patterns)(path)).toEqual(expected)
      },
    ),
    { numRuns: 500 },
  )
})
