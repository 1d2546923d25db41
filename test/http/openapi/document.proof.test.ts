import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createOpenApi } from '../../../src/http/openapi/create-openapi.ts'
import { DEFAULT_INFO } from '../../../src/http/openapi/routes.ts'
import type { Operation } from '../../../src/http/openapi/types.ts'
import { documented } from '../../../src/kernel/schema.ts'
import { ERROR_CODES } from '../../../src/kernel/errors.ts'
import { defineRoute } from '../../../src/kernel/http/route.ts'
import type { RouteExample } from '../../../src/kernel/http/route.ts'
import { SCOPES } from '../../../src/kernel/scope.ts'
import { checkOf } from '../../support/worlds/described.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { root } from '../../support/sources/sources.ts'

const host = await createServiceHost({ operator: true })
const rows = [...host.routes, ...host.reference]
const check = await checkOf(rows)
const document = await createOpenApi(rows, DEFAULT_INFO)
const operationOf = (method: string, path: string) => {
  const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
  if (!operation) throw new Error(`${method} ${path} is not described`)
  return operation
}
const parametersOf = ({ parameters }: Operation) =>
  parameters.flatMap((parameter) => ('$ref' in parameter ? [] : [parameter]))
const statusesOf = (method: string, path: string) =>
  Object.keys(operationOf(method, path).responses).map(Number)

it('the description has every row of the route table and nothing else', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
    ),
  )
  expect(described.toSorted()).toEqual(
    rows
      .map(
        ({ method, path, operation }) =>
          `${method} ${path.replace(/:(\w+)/g, '{$1}')} ${operation}`,
      )
      .toSorted(),
  )
  expect(document.openapi).toBe('3.1.1')
})

const nameOf = (row: (typeof rows)[number]): string => row.operation

it('every operation has an example request that it accepts', async () => {
  const failing = await failingCases(rows, nameOf, async (row) => {
    const operation = operationOf(row.method, row.path)
    const example: RouteExample = (await row.example?.()) ?? {}
    const pairs = [
      [row.params, example.params],
      [row.query, example.query],
      [row.body, example.body],
    ] as const
    // A schema without an example, and an example without a schema, are wrong as well.
    for (const [schema, value] of pairs)
      expect(schema ? v.safeParse(schema, value).issues : value).toBeUndefined()
    const body = operation.requestBody?.content['application/json']
    if (body) expect(check.wrong(body.schema, body.example)).toBeNull()
    const wrong = parametersOf(operation).filter(
      ({ schema, example: shown }) => shown !== undefined && check.wrong(schema, shown) !== null,
    )
    expect(wrong).toEqual([])
  })
  expect(failing).toEqual([])
})

it('every operation has an example answer that it could give', async () => {
  const failing = await failingCases(rows, nameOf, async (row) => {
    const operation = operationOf(row.method, row.path)
    const example: RouteExample = (await row.example?.()) ?? {}
    if (row.data) expect(v.safeParse(await row.data(), example.data).issues).toBeUndefined()
    const success = operation.responses[row.status ?? 200]
    const contents = success && 'content' in success ? Object.values(success.content ?? {}) : []
    expect(contents.length).toBeGreaterThan(0)
    for (const { schema, example: shown } of contents) expect(check.wrong(schema, shown)).toBeNull()
  })
  expect(failing).toEqual([])
})

it('every operation that needs a scope names it', async () => {
  const failing = await failingCases(rows, nameOf, async (row) => {
    const operation = operationOf(row.method, row.path)
    expect(operation.security).toEqual(
      row.linkToken
        ? [{ linkToken: [] }]
        : row.scope === null
          ? []
          : [row.scope, ...(row.otherScopes ?? [])].flatMap((scope) => [
              { bearer: [scope] },
              { apiKey: [scope] },
            ]),
    )
    expect(SCOPES).toEqual(
      expect.arrayContaining(operation.security.flatMap((way) => Object.values(way).flat())),
    )
  })
  expect(failing).toEqual([])
})

it('every parameter of every operation is described', async () => {
  const failing = await failingCases(rows, nameOf, async (row) => {
    const operation = operationOf(row.method, row.path)
    expect(parametersOf(operation).filter(({ description }) => description === '')).toEqual([])
  })
  expect(failing).toEqual([])
})

it('the statuses of an operation follow from its row', () => {
  expect(statusesOf('POST', '/api/v1/tasks/:id/executions')).toEqual([
    201, 400, 401, 402, 403, 404, 406, 409, 413, 415, 422, 429, 500, 503,
  ])
  expect(statusesOf('GET', '/docs')).toEqual([200, 304, 400, 406, 429, 500])
  expect(statusesOf('POST', '/api/v1/tasks')).toEqual([
    201, 400, 401, 403, 404, 406, 409, 413, 415, 422, 429, 500, 503,
  ])
  expect(statusesOf('GET', '/api/v1/tasks/:id')).toEqual([
    200, 304, 400, 401, 403, 404, 406, 412, 429, 500, 503,
  ])
  expect(statusesOf('PATCH', '/api/v1/tasks/:id')).toEqual([
    200, 400, 401, 403, 404, 406, 409, 412, 413, 415, 422, 429, 500, 503,
  ])
  expect(statusesOf('GET', '/api/v1/executions/:id/results/export')).toEqual([
    200, 400, 401, 403, 404, 406, 422, 429, 500, 503,
  ])
})

it('limits, defaults and names are those that callers see', () => {
  const limit = operationOf('GET', '/api/v1/tasks').parameters.find(
    (parameter) => 'name' in parameter && parameter.name === 'limit',
  )
  expect(limit).toMatchObject({
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  })
  expect(operationOf('POST', '/api/v1/tasks').requestBody?.required).toBe(true)
  expect(operationOf('POST', '/api/v1/tasks/:id/executions').requestBody?.required).toBe(false)
  expect(document.components.schemas['Fields']).toMatchObject({
    minProperties: 1,
    maxProperties: 200,
    additionalProperties: { $ref: '#/components/schemas/Field' },
  })
  expect(document.components.schemas['FieldSource']).toMatchObject({
    properties: { fields: { $ref: '#/components/schemas/Fields' } },
  })
  expect(document.components.schemas['ErrorCode']?.['enum']).toEqual(ERROR_CODES)
  expect(document.components.schemas['Task']).toMatchObject({
    properties: { recipe: { $ref: '#/components/schemas/Recipe' } },
  })
})

it('the description is JSON, and each of its references exists', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document)
  const components: Record<string, Record<string, unknown>> = { ...document.components }
  const links = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
  expect(links.length).toBeGreaterThan(100)
  expect(
    links.filter(([, kind = '', name = '']) => components[kind]?.[name] === undefined),
  ).toEqual([])
})

it('each part of a body is described', () => {
  const openIn = (value: unknown, path: string): string[] => {
    if (typeof value !== 'object' || value === null) return []
    const members = Object.entries(value)
    return !Array.isArray(value) && members.length === 0
      ? [path]
      : members.flatMap(([name, member]) => openIn(member, `${path}.${name}`))
  }
  const bodies = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, requestBody }) =>
      Object.values(requestBody?.content ?? {}).map(({ schema }) => [operationId, schema] as const),
    )
  expect(bodies.length).toBeGreaterThan(20)
  const reached = new Map<string, unknown>(bodies)
  for (const schema of reached.values())
    for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      reached.set(name, document.components.schemas[name])
  expect(reached.has('Recipe')).toBe(true)
  expect([...reached].flatMap(([name, schema]) => openIn(schema, name))).toEqual([])
})

it('the linter redocly reports nothing by its recommended rules', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'seine-openapi-'))
  const lint = (text: string) =>
    new Promise<{
      totals?: { errors: number; warnings: number }
      problems?: { message: string }[]
    }>((resolve, reject) => {
      const path = join(folder, 'openapi.json')
      const environment = {
        PATH: process.env['PATH'],
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        NO_COLOR: '1',
      }
      const run = () =>
        execFile(
          process.execPath,
          [join(root, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', '--format=json', path],
          { cwd: folder, env: environment },
          (_, stdout) => resolve(JSON.parse(stdout)),
        )
      writeFile(path, text).then(run, reject)
    })
  try {
    const clean = await lint(JSON.stringify(document))
    expect(clean.problems?.map(({ message }) => message)).toEqual([])
    expect(clean.totals).toMatchObject({ errors: 0, warnings: 0 })
    const broken = await lint(
      JSON.stringify(document).replaceAll('"minimum":1,', '"minimum":"one",'),
    )
    expect(broken.totals?.errors).toBeGreaterThan(0)
  } finally {
    await rm(folder, { recursive: true })
  }
})

describe('a schema', () => {
  const rowOf = (data: v.GenericSchema) => [
    defineRoute({
      method: 'GET',
      path: '/x',
      operation: 'x.read',
      summary: 'Reads',
      scope: null,
      limit: null,
      data: async () => data,
      handler: async () => ({}),
    }),
  ]
  const describedAs = (data: v.GenericSchema) => createOpenApi(rowOf(data), DEFAULT_INFO)

  it('that is only code must have a description', async () => {
    await expect(describedAs(v.strictObject({ a: v.custom(() => true) }))).rejects.toThrow(
      'must be documented',
    )
    const { paths } = await describedAs(
      v.strictObject({
        a: v.pipe(
          v.custom(() => true),
          documented({ json: { type: 'string' } }),
        ),
      }),
    )
    expect(JSON.stringify(paths)).toContain('"a":{"type":"string"}')
  })

  it('has a name of its own', async () => {
    const named = () => v.pipe(v.strictObject({}), documented({ component: 'Same' }))
    await expect(describedAs(v.strictObject({ a: named(), b: named() }))).rejects.toThrow('Same')
  })

  it('that replaces another one needs a name', async () => {
    await expect(
      describedAs(v.strictObject({ a: v.pipe(v.any(), documented({ as: v.string() })) })),
    ).rejects.toThrow('must be a component')
  })
})
