import type { GenericSchema } from 'valibot'
import { ENVELOPES } from '../../kernel/http/route.ts'
import type { AnyRoute, RouteExample } from '../../kernel/http/route.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { ConvertedSchemas } from './convert-schemas.ts'
import type { ErrorResponses, ResponseRules } from './error-responses.ts'
import { headerRef } from './headers.ts'
import { rulesOf } from './error-responses.ts'
import type {
  HeaderObject,
  JsonSchema,
  MediaType,
  Operation,
  Parameter,
  Reference,
  ResponseObject,
} from './types.ts'

const JSON_TYPE = 'application/json'

/** The parts of a route that only its documentation uses. */
export interface RouteDetails {
  readonly data?: GenericSchema<unknown, unknown>
  readonly example?: RouteExample
}

/** Makes the operation of a route. */
export function operationOf(
  route: AnyRoute,
  details: RouteDetails,
  schemas: ConvertedSchemas,
  errors: ErrorResponses,
): Operation {
  const rules = rulesOf(route)
  const { example } = details
  return {
    tags: [tagOf(route)],
    operationId: route.operation,
    summary: route.summary,
    description: [route.description, needsOf(route)]
      .filter((text) => text !== undefined)
      .join('\n\n'),
    security: route.linkToken
      ? [{ linkToken: [] }]
      : route.scope === null
        ? []
        : scopesOf(route).flatMap((scope) => [{ bearer: [scope] }, { apiKey: [scope] }]),
    parameters: [
      ...(route.params ? parametersOf('path', schemas.of(route.params), example?.params) : []),
      ...(route.query ? parametersOf('query', schemas.of(route.query), example?.query) : []),
      ...rules.requestHeaders.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(route.body && {
      requestBody: {
        required: !/optional/.test(route.body.type),
        content: {
          [JSON_TYPE]: {
            schema: schemas.of(route.body),
            ...(example?.body && { example: example.body }),
          },
        },
      },
    }),
    responses: {
      [String(route.status ?? 200)]: successOf(route, details, rules, schemas),
      ...(route.raw?.empty !== undefined && {
        204: { description: route.raw.empty, headers: refs([...rules.headers]) },
      }),
      ...(rules.ranges && { 206: partOf(successOf(route, details, rules, schemas)) }),
      ...(rules.revalidates && {
        304: {
          description: "The caller's copy is still valid.",
          headers: {
            ...(route.raw && successOf(route, details, rules, schemas).headers),
            ...refs([...rules.headers, 'ETag']),
          },
        },
      }),
      ...errors.of(rules),
    },
  }
}

/** The group of an operation: the part of its name before the dot. */
export function tagOf(route: AnyRoute): string {
  return route.operation.split('.')[0] ?? route.operation
}

/** A route's path in OpenAPI's form. */
export function pathOf(route: AnyRoute): string {
  return route.path.replace(/:(\w+)/g, '{$1}')
}

function scopesOf({ scope, otherScopes = [] }: AnyRoute): Scope[] {
  return scope === null ? [] : [scope, ...otherScopes]
}

function needsOf(route: AnyRoute): string {
  const { scope, linkToken, otherScopes } = route
  if (linkToken) return 'Needs no credential but the `token` of the link.'
  if (otherScopes)
    return `Needs one of the scopes ${scopesOf(route)
      .map((name) => `\`${name}\``)
      .join(', ')}.`
  return scope === null ? 'Public: needs no credential.' : `Needs the scope \`${scope}\`.`
}

/** 206 beside a 200. */
function partOf(whole: ResponseObject): ResponseObject {
  return {
    ...whole,
    description: 'The part that `Range` asks for.',
    headers: { ...whole.headers, 'Content-Range': headerRef('Content-Range') },
  }
}

function successOf(
  route: AnyRoute,
  { data, example }: RouteDetails,
  rules: ResponseRules,
  schemas: ConvertedSchemas,
): ResponseObject {
  const own: Record<string, HeaderObject> = Object.fromEntries(
    Object.entries(route.raw?.headers ?? {}).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  )
  return {
    description: route.summary,
    headers: { ...refs([...rules.headers, ...rules.successHeaders]), ...own },
    content: {
      ...(data && { [JSON_TYPE]: successBody(route, example, schemas.of(data)) }),
      ...rawBody(route),
    },
  }
}

function successBody(
  { bodies = ENVELOPES }: AnyRoute,
  example: RouteExample | undefined,
  data: JsonSchema,
): MediaType {
  if (bodies.success === 'bare')
    return { schema: data, ...(example?.data && { example: example.data }) }
  const schema = {
    type: 'object',
    required: ['success', 'data'],
    additionalProperties: false,
    properties: { success: { const: true }, data },
  }
  return { schema, ...(example?.data && { example: { success: true, data: example.data } }) }
}

function rawBody({ raw }: AnyRoute): Record<string, MediaType> {
  return Object.fromEntries(
    Object.entries(raw?.contents ?? {}).map(([type, example]) => {
      if (example === null) return [type, { schema: { contentMediaType: type } }]
      const isJson = type === JSON_TYPE
      return [
        type,
        {
          schema: isJson ? { type: ['object', 'array'] } : { type: 'string' },
          example: isJson ? JSON.parse(example) : example,
        },
      ]
    }),
  )
}

function refs(names: Parameters<typeof headerRef>[0][]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, headerRef(name)]))
}

function parametersOf(
  location: 'path' | 'query',
  schema: JsonSchema,
  examples: Readonly<Record<string, string>> = {},
): Parameter[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(schema['properties'] ?? {}).map(([name, property]) => {
    const { description, ...rest }: { readonly description?: unknown } = Object(property)
    const text = examples[name]
    return {
      name,
      in: location,
      description:
        typeof description === 'string' ? description : `Only where \`${name}\` is this.`,
      required: required.includes(name),
      schema: rest,
      ...(text !== undefined && {
        example: 'type' in rest && rest.type === 'integer' ? Number(text) : text,
      }),
    }
  })
}
