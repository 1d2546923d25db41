import { expect, it } from 'vitest'
import { isObject } from '../../../src/kernel/json.ts'
import { cpuFactor, cpuMs } from '../../support/cpu-ms.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { ROUTE_FIXTURES } from '../../support/worlds/routes/route-fixtures.ts'
import { addressOf } from '../../support/worlds/routes/route-request.ts'
import { seedRoutes } from '../../support/worlds/routes/seed-routes.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

/** CPU that the check of one body may take on the machine where the limits were set, in ms. */
const MOST_MS = 200
/** A body is at most 1 MiB. */
const ROOM = 1_040_000

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

/** Values for any field, as large as a body may be. */
const VALUES: Readonly<Record<string, unknown>> = {
  numbers: many(29_000, (i) => i),
  texts: many(10_000, (i) => `a text ${'x'.repeat(80)} ${i}`),
  objects: many(9_000, (i) => ({ [`a${i}`]: i })),
  names: Object.fromEntries(many(29_000, (i) => [`name-${i}`, i])),
  blanks: `a${' '.repeat(ROOM)}b`,
  braces: '{{'.repeat(ROOM / 2),
  address: `https://a.example.com/?${'utm_a=1&'.repeat(ROOM / 8)}`,
  digits: '1:'.repeat(ROOM / 2),
}

/** All names in the schema of an object, whether a fixture has them or not. */
function namesOf(schema: unknown): [string, unknown][] {
  if (!isObject(schema)) return []
  const { entries, wrapped } = schema
  return isObject(entries) ? Object.entries(entries) : namesOf(wrapped)
}

/** Bodies with a value in the place of each of their fields in turn, and in an unknown field. */
function* bodiesOf(
  schema: unknown,
  honest: unknown,
  value: unknown,
  path = '',
): Generator<[string, unknown]> {
  if (!isObject(honest)) return
  yield [`${path}.unknown`, { ...honest, unknown: value }]
  const fields = new Map(namesOf(schema))
  for (const name of new Set([...fields.keys(), ...Object.keys(honest)])) {
    yield [`${path}.${name}`, { ...honest, [name]: value }]
    for (const [fieldPath, inner] of bodiesOf(
      fields.get(name),
      honest[name],
      value,
      `${path}.${name}`,
    ))
      yield [fieldPath, { ...honest, [name]: inner }]
  }
}

const { routes } = await createServiceHost({ operator: true })

it('any value in any field of any body is checked quickly, with a short answer', async () => {
  const limit = MOST_MS * cpuFactor()
  let tried = 0
  const failing = await failingCases(
    routes.filter(({ body }) => body !== undefined),
    ({ operation }) => operation,
    async (route) => {
      const seeded = await seedRoutes()
      const request = await (
        ROUTE_FIXTURES[route.operation] ?? expect.fail(`${route.operation} has no fixture`)
      )(seeded)
      const ask = async (body: unknown) => {
        const text = JSON.stringify(body)
        const before = cpuMs()
        const response = await seeded.host.send(route.method, addressOf(route.path, request), {
          body: text,
        })
        const { length } = await response.text()
        return { status: response.status, length, taken: cpuMs() - before }
      }
      // Code that is loaded for the first body does not count as its cost.
      await ask({ unknown: 1 })
      const over: string[] = []
      for (const [name, value] of Object.entries(VALUES))
        for (const [path, body] of bodiesOf(route.body, request.body, value)) {
          tried++
          const { status, length, taken } = await ask(body)
          if (status < 500 && length < 300_000 && taken < limit) continue
          over.push(`${path}: ${name}: ${status}, ${length} characters, ${Math.round(taken)} ms`)
        }
      expect(over).toEqual([])
    },
  )
  expect(failing).toEqual([])
  // The number shows that every field was tried, also the optional ones.
  expect(tried).toBeGreaterThan(1_000)
})
