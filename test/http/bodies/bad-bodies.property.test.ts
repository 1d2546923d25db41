import { expect, it } from 'vitest'
import type { Issue } from '../../../src/kernel/errors.ts'
import type { AnyRoute } from '../../../src/kernel/http/route.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { ROUTE_FIXTURES } from '../../support/worlds/routes/route-fixtures.ts'
import { addressOf } from '../../support/worlds/routes/route-request.ts'
import { seedRoutes } from '../../support/worlds/routes/seed-routes.ts'

// Sends to every route with a body bodies that are wrong in every way, and proves that each answer
// names the field, the rule and a remedy.

const seeded = await seedRoutes()
const { host } = seeded
const routes = host.routes.filter(({ body }) => body !== undefined)

interface BodyFields {
  readonly [name: string]: unknown
}

interface Sent {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a body to a route, with everything else that the call needs. */
async function send(route: AnyRoute, sent: Sent) {
  const fixture = await ROUTE_FIXTURES[route.operation]?.(seeded)
  const { status, body } = await host.call(route.method, addressOf(route.path, fixture ?? {}), sent)
  const issues: readonly Issue[] = body.error?.issues ?? []
  return { status, issues, message: String(body.error?.message) }
}

/** A valid body with most of the fields of the route. */
async function rightBody(route: AnyRoute): Promise<BodyFields> {
  const example: BodyFields = (await route.example?.())?.body ?? {}
  const { body } = (await ROUTE_FIXTURES[route.operation]?.(seeded)) ?? {}
  const right = { ...example, ...(typeof body === 'object' ? body : null) }
  // The example's parameters are those of another task.
  if (route.operation === 'executions.start') delete right['params']
  return right
}

/** Each place of a value: the names and numbers that lead to it. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.keys(value).flatMap((key) => pathsOf(Reflect.get(value, key), [...path, key]))
      : []
  return path.length === 0 ? below : [path, ...below]
}

function withValue(
  whole: unknown,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): unknown {
  const copy: unknown = structuredClone(whole)
  if (typeof copy !== 'object' || copy === null) return copy
  Reflect.set(copy, key, rest.length === 0 ? value : withValue(Reflect.get(copy, key), rest, value))
  return copy
}

const failing = (check: (route: AnyRoute) => Promise<void>): Promise<string[]> =>
  failingCases(routes, ({ operation }) => operation, check)

it('a missing body is reported, with its required fields', async () => {
  const wrong = await failing(async (route) => {
    const [none, empty] = [await send(route, {}), await send(route, { body: {} })]
    // Some operations need no body.
    if (empty.status !== 400) return expect(none.status).toBe(empty.status)
    expect(none.status).toBe(400)
    expect(none.message).toContain('the body is missing: send a JSON object')
    expect(none.issues.slice(1)).toEqual(empty.issues)
  })
  expect(wrong).toEqual([])
})

it('a body that is not an object, or no JSON, is refused with the required form', async () => {
  const wrong = await failing(async (route) => {
    for (const body of ['null', '[]', '"x"', '1', 'true'])
      expect(await send(route, { body })).toMatchObject({
        status: 400,
        issues: [{ path: '', message: 'the body must be a JSON object' }],
      })
    expect(await send(route, { body: '{"a" 1}' })).toMatchObject({
      status: 400,
      issues: [{ path: '', message: 'the body is not valid JSON, from character 6 on' }],
    })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', ''])
      expect(await send(route, { body: '{}', headers: { 'content-type': type } })).toMatchObject({
        status: 415,
        message: 'The body must be JSON: send Content-Type: application/json',
      })
  })
  expect(wrong).toEqual([])
})

it('an unknown field is named, with the most similar known field or with all fields', async () => {
  const wrong = await failing(async (route) => {
    const body = await rightBody(route)
    expect(await send(route, { body: { ...body, surprise: 1 } })).toMatchObject({
      status: 400,
      issues: [{ path: 'surprise', message: expect.stringMatching(/^unknown field; known: \w/) }],
    })
    for (const name of Object.keys(body)) {
      const misspelt = `${name}s`
      const { issues } = await send(route, { body: { ...body, [misspelt]: 1 } })
      expect(issues).toContainEqual({
        path: misspelt,
        message: `unknown field; did you mean ${name}?`,
      })
    }
  })
  expect(wrong).toEqual([])
})

const WRONG = [null, 1.5, -1, 'wörong?', '', true, [], {}, { surprise: 1 }]

it('a wrong value is reported with its place and the rule', async () => {
  let refused = 0
  const wrong = await failing(async (route) => {
    const body = await rightBody(route)
    const cases = pathsOf(body).flatMap((path) => WRONG.map((value) => ({ path, value })))
    for (const { path, value } of cases) {
      const sent = withValue(body, path, value)
      const { status, issues } = await send(route, { body: sent })
      const what = JSON.stringify(sent)
      expect(status < 500 && status !== 413, what).toBe(true)
      if (status !== 400) continue
      refused++
      const dotted = path.join('.')
      const own = issues.filter(
        (issue) => issue.path.startsWith(dotted) || dotted.startsWith(issue.path),
      )
      expect(own.length, `${what}: ${JSON.stringify(issues)}`).toBeGreaterThan(0)
      for (const { message } of issues)
        expect(message, what).toMatch(/^(?!is not valid$)(?!.*createPlatform).{4,}/s)
    }
  })
  expect(wrong).toEqual([])
  expect(refused).toBeGreaterThan(300)
})

it('a body is refused without an effect if the operation has none', async () => {
  // Mail programs send a body to a link (RFC 8058, section 3.1), which is not read.
  const bodiless = host.routes.filter(
    ({ body, method, linkToken }) => body === undefined && method !== 'GET' && !linkToken,
  )
  expect(bodiless.length).toBeGreaterThan(10)
  const wrong = await failingCases(
    bodiless,
    ({ operation }) => operation,
    async (route) => {
      for (const body of [{ force: true }, '[]', 'force=true'])
        expect(await send(route, { body })).toMatchObject({
          status: 400,
          issues: [{ path: '', message: 'this operation takes no body' }],
        })
      // A body without members asks for nothing that would be ignored.
      expect((await send(route, { body: '{ }' })).issues).toEqual([])
    },
  )
  expect(wrong).toEqual([])
})
