import { isObject } from '../../../kernel/json.ts'
import type { CopiedCall } from '../parts/copy-as.ts'

/** One operation of the OpenAPI description. */
export interface ApiOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly OperationParameter[]
  /** Names of the schemas of its body and its answers, including nested ones. */
  readonly schemas: readonly string[]
  /** An example of its body. `null`: it has no body. */
  readonly body: string | null
}

export interface OperationParameter {
  readonly name: string
  readonly location: string
  readonly about: string
  readonly isRequired: boolean
}

/** A schema of the OpenAPI description. */
export interface ApiSchema {
  readonly name: string
  readonly about: string
  /** Its properties, each with its description. */
  readonly parts: readonly (readonly [name: string, about: string])[]
}

/** The parts of the API, as its OpenAPI description has them. */
export interface ApiReference {
  readonly operations: readonly ApiOperation[]
  readonly schemas: readonly ApiSchema[]
}

/** Maximum depth of nested schemas that are searched for an operation. */
const MOST_LEVELS = 4

/** Reads an OpenAPI description; parts of an unexpected form are left out. */
export function readReference(description: unknown): ApiReference {
  if (!isObject(description)) return { operations: [], schemas: [] }
  const { paths, components } = description
  const all = isObject(components) && isObject(components['schemas']) ? components['schemas'] : {}
  const schemas = Object.entries(all).flatMap(([name, schema]) =>
    isObject(schema)
      ? [{ name, about: textOf(schema['description']), parts: partsOf(schema) }]
      : [],
  )
  const refs = new Map(Object.entries(all).map(([name, schema]) => [name, refsIn(schema)]))
  return { operations: operationsOf(isObject(paths) ? paths : {}, refs), schemas }
}

function operationsOf(
  paths: Readonly<Record<string, unknown>>,
  refs: ReadonlyMap<string, readonly string[]>,
): ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).flatMap(([method, value]) => {
      if (!isObject(value) || typeof value['operationId'] !== 'string') return []
      const { operationId, summary, description: about, parameters } = value
      return [
        {
          id: operationId,
          method: method.toUpperCase(),
          path,
          summary: textOf(summary),
          description: textOf(about),
          parameters: Array.isArray(parameters) ? parameters.flatMap(parameterOf) : [],
          schemas: namesIn(value, refs),
          body: bodyOf(value['requestBody']),
        },
      ]
    }),
  )
}

function parameterOf(value: unknown): OperationParameter[] {
  if (!isObject(value) || typeof value['name'] !== 'string' || value['in'] === 'header') return []
  return [
    {
      name: value['name'],
      location: textOf(value['in']),
      about: textOf(value['description']),
      isRequired: value['required'] === true,
    },
  ]
}

/** The example of a body, or an empty object. */
function bodyOf(value: unknown): string | null {
  const content = isObject(value) && isObject(value['content']) ? value['content'] : null
  const json = content === null ? null : content['application/json']
  if (!isObject(json)) return null
  const examples = isObject(json['examples']) ? Object.values(json['examples']) : []
  const [first] = examples
  const example = json['example'] ?? (isObject(first) ? first['value'] : undefined) ?? {}
  return JSON.stringify(example, null, 2)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Maximum depth of nested properties that are shown. */
const MOST_DEEP = 5

/** The properties of a schema, including those of inline schemas: `last.outcome`. */
function partsOf(schema: unknown, before = '', level = 0): ApiSchema['parts'] {
  if (!isObject(schema) || level > MOST_DEEP) return []
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const inside = [schema['items'], schema['anyOf'], schema['oneOf'], schema['allOf']].flat()
  return [
    ...Object.entries(properties).flatMap(([name, part]) => {
      const path = before + name
      return [[path, aboutOf(part)] as const, ...partsOf(part, `${path}.`, level + 1)]
    }),
    ...inside.flatMap((part) => partsOf(part, before, level + 1)),
  ]
}

/** The description of a part, and its possible values. */
function aboutOf(part: unknown): string {
  if (!isObject(part)) return ''
  const values = Array.isArray(part['enum']) ? part['enum'].join(', ') : ''
  return [textOf(part['description']), values].filter((text) => text !== '').join(' · ')
}

/** Names of the schemas that a part of the description refers to. */
function refsIn(part: unknown): readonly string[] {
  const matches = JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)
  return [...new Set([...matches].map(([, name = '']) => name))]
}

/** The same, with nested schemas up to some depth. */
function namesIn(part: unknown, refs: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const names = new Set<string>()
  let level = refsIn(part)
  for (let count = 0; count < MOST_LEVELS && level.length > 0; count++) {
    for (const name of level) names.add(name)
    level = level.flatMap((name) => refs.get(name)?.filter((next) => !names.has(next)) ?? [])
  }
  return [...names]
}

/** True if the texts of an operation and its schemas together contain all terms. */
export function hasTerms(
  operation: ApiOperation,
  schemas: ReadonlyMap<string, string>,
  terms: readonly string[],
): boolean {
  const texts = [
    JSON.stringify({ ...operation, schemas: [] }).toLowerCase(),
    ...operation.schemas.flatMap((name) => schemas.get(name) ?? []),
  ]
  return terms.every((term) => texts.some((text) => text.includes(term)))
}

/** Operations with pages and files for browsers as answers. The client has no method for them. */
export const NOT_IN_CLIENT: ReadonlySet<string> = new Set([
  'media.file',
  'webhooks.unsubscribePage',
  'webhooks.unsubscribe',
  'reference.openapi',
  'reference.page',
])
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The call of a form. `null`: its body is not JSON. */
export function callOf(
  operation: ApiOperation,
  typed: Readonly<Record<string, string>>,
  body: string,
): CopiedCall | null {
  const { id, parameters, method } = operation
  const verb = METHODS.find((name) => name === method)
  const parsed = operation.body === null ? undefined : parsedJson(body)
  if (verb === undefined || parsed === null) return null
  const filled = parameters.flatMap(({ name, location: where }) => {
    const text = typed[name] ?? ''
    return text === '' && where !== 'path' ? [] : [{ where, name, text }]
  })
  const query = filled.filter(({ where }) => where === 'query')
  return {
    method: verb,
    path: pathOf(operation, typed),
    ...(parsed !== undefined && { body: parsed }),
    ...(!NOT_IN_CLIENT.has(id) && { operation: id }),
    args: [
      ...filled.filter(({ where }) => where === 'path').map(({ text }) => text),
      ...(parsed === undefined ? [] : [parsed]),
      ...(query.length === 0
        ? []
        : [Object.fromEntries(query.map(({ name, text }) => [name, scalarOf(text)]))]),
    ],
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Numbers and truth values of a query have types in the client. */
function scalarOf(text: string): unknown {
  return /^(?:true|false|\d+)$/.test(text) ? JSON.parse(text) : text
}

/** The path of a call with the typed query. */
export function pathOf(
  { path, parameters }: ApiOperation,
  typed: Readonly<Record<string, string>>,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(typed[name] ?? ''),
  )
  const query = new URLSearchParams(
    parameters
      .filter(({ name, location: where }) => where === 'query' && (typed[name] ?? '') !== '')
      .map(({ name }) => [name, typed[name] ?? '']),
  )
  return `${filled}${query.size === 0 ? '' : `?${query}`}`
}
