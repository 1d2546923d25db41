import fc from 'fast-check'
import { IttyRouter } from 'itty-router'
import { expect, test } from 'vitest'
import { PathTable } from '../../src/http/router.ts'

function tableOf(...patterns: readonly string[]): PathTable<string> {
  const table = new PathTable<string>()
  for (const pattern of patterns) table.add(pattern, pattern)
  return table
}

test('fixed segments go before parameters, also when the way goes back', () => {
  const table = tableOf(
    '/tasks/:id',
    '/tasks/preview',
    '/tasks/preview/now/:day',
    '/tasks/:id/preview/:n',
  )
  expect(table.find('/tasks/preview')).toEqual({ value: '/tasks/preview', params: {} })
  expect(table.find('/tasks/x%20y')).toEqual({ value: '/tasks/:id', params: { id: 'x%20y' } })
  expect(table.find('/tasks/preview/preview/2')).toEqual({
    value: '/tasks/:id/preview/:n',
    params: { id: 'preview', n: '2' },
  })
  expect(table.find('/tasks')).toBeNull()
  expect(table.find('/tasks/preview/now')).toBeNull()
})

test('what is no plain path is not found', () => {
  const table = tableOf('/tasks', '/tasks/:id', '/media/:path+', '/files/*')
  for (const path of [
    '/',
    '',
    '//',
    '/tasks/',
    '//tasks',
    '/tasks//1',
    '/media/a/b',
    '/files/x',
    '/constructor',
    '/__proto__',
  ])
    expect(table.find(path)).toBeNull()
})

test('it finds what a router that tries one pattern after the other finds', async () => {
  const segment = fc.constantFrom('a', 'b', 'a.b', 'c-d')
  const pattern = fc
    .array(fc.oneof(segment, fc.constant(':')), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map((part, at) => (part === ':' ? `/:p${at}` : `/${part}`)).join(''))
  const path = fc
    .array(fc.oneof(segment, fc.constantFrom('x', 'axb', '%2F')), { minLength: 1, maxLength: 5 })
    .map((parts) => `/${parts.join('/')}`)
  const sortKey = (text: string) => text.replaceAll(':', '\uffff')
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(pattern, { minLength: 1, maxLength: 12 }),
      path,
      async (patterns, asked) => {
        const sorted = patterns.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
        const router = IttyRouter()
        for (const one of sorted)
          router.all(one, ({ params }) => ({ value: one, params: { ...params } }))
        const expected: unknown =
          (await router.fetch({ method: 'GET', url: `http://localhost${asked}` })) ?? null
        expect(tableOf(...sorted).find(asked)).toEqual(expected)
      },
    ),
    { numRuns: 500 },
  )
})
