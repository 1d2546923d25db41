import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClient } from 'seine/client'
import { readParams } from '../../src/http/read-request.ts'
import { createRouter } from '../../src/http/router.ts'
import { codePoint } from '../support/any-text.ts'
import { featureRoutes, hasMethod } from '../support/sources/client-source.ts'

const routes = (await featureRoutes()).filter(hasMethod)
const find = createRouter(routes)

/** Calls an operation by its name; returns the request. */
async function requestOf(
  operation: string,
  args: readonly unknown[],
  baseUrl = 'https://data.example',
): Promise<Request> {
  const sent: Request[] = []
  const client = createClient({
    baseUrl,
    fetch: async (request) => (
      sent.push(request),
      Response.json({ success: true, data: { items: [], nextCursor: null } })
    ),
  })
  const [resource = '', name = ''] = operation.split('.')
  const methods: object = Reflect.get(client, resource)
  const method: unknown = Reflect.get(methods, name)
  if (typeof method !== 'function') throw new Error(`The client has no ${operation}`)
  await Reflect.apply(method, methods, args)
  const [request] = sent
  if (!request) throw new Error(`${operation} sent nothing`)
  return request
}

const idNames = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
const ids = fc
  .oneof(
    fc.string({ unit: codePoint, minLength: 1, maxLength: 30 }),
    fc.string({
      unit: fc.constantFrom(
        '/',
        '?',
        '#',
        '%',
        '.',
        ':',
        '\\',
        ';',
        '+',
        ' ',
        '&',
        '2',
        'F',
        'é',
        '\0',
        '\n',
      ),
      minLength: 1,
      maxLength: 8,
    }),
  )
  .filter((id) => id !== '.' && id !== '..' && id.isWellFormed())

test('every operation reaches its own route, with its ids unchanged', async () => {
  expect(routes.length).toBeGreaterThan(15)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes),
      fc.array(ids, { minLength: 3, maxLength: 3 }),
      async (route, values) => {
        const names = idNames(route.path)
        const request = await requestOf(
          route.operation,
          names.map((_, i) => values[i]),
        )
        const match = await find(new URL(request.url).pathname)
        expect(match?.entry.methods.get(request.method)?.operation).toBe(route.operation)
        if (names.length === 0) return
        const schema = route.params
        const short = names.every((_, i) => (values[i]?.length ?? 0) <= 200)
        if (short)
          expect(readParams(match?.params ?? {}, schema)).toEqual(
            Object.fromEntries(names.map((name, i) => [name, values[i]])),
          )
      },
    ),
    { numRuns: 500 },
  )
})

test.for(['', '.', '..', 'a\uD800'])(
  '%j is refused as an id, and no request is sent',
  async (id) => {
    await expect(requestOf('tasks.get', [id])).rejects.toThrow('Not an id')
  },
)

test('query parameters are written in the form that the service reads', async () => {
  const url = async (query: object) =>
    new URL((await requestOf('results.list', ['e', query])).url).search
  expect(await url({})).toBe('')
  expect(await url({ limit: 5, cursor: undefined })).toBe('?limit=5')
  expect(await url({ fields: ['a b', 'c&d'], limit: 100 })).toBe('?fields=a+b%2Cc%26d&limit=100')
  expect(await url({ fields: ['a', 'b,"c"'] })).toBe('?fields=a%2C%22b%2C%5C%22c%5C%22%22')
})

test.for([
  ['https://data.example', 'https://data.example/api/v1/tasks'],
  ['https://data.example/', 'https://data.example/api/v1/tasks'],
  ['https://app.example/data//', 'https://app.example/data/api/v1/tasks'],
])('requests to a platform mounted at %s go to %s', async ([base, url]) => {
  expect((await requestOf('tasks.list', [], base)).url).toBe(url)
})
