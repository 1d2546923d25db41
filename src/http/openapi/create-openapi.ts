import type { AnyRoute } from '../../kernel/http/route.ts'
import { convertSchemas } from './convert-schemas.ts'
import { ERROR_SCHEMAS, ErrorResponses } from './error-responses.ts'
import { HEADERS, REQUEST_HEADERS } from './headers.ts'
import { operationOf, pathOf, tagOf } from './operation.ts'
import type { RouteDetails } from './operation.ts'
import type { OpenApiDocument, OpenApiInfo, Operation } from './types.ts'

const ABOUT = [
  'Success is `{ "success": true, "data": … }`; failure is `{ "success": false, "error": ' +
    '{ "code", "message", "issues"? } }`. Branch on the status and on `error.code`.',
  'A list is `{ items, nextCursor }`. Send `nextCursor` as `cursor` for the next page; ' +
    'it is `null` at the end. A page of large items ends early. Lists with `sort` have ' +
    '`count=true`, which adds `total`. Unknown fields and ' +
    'parameters are refused by name.',
  'Every path with GET also supports HEAD, and every path supports OPTIONS. Other methods ' +
    'get 405 with `Allow`. Every response has `X-Request-Id`.',
].join('\n\n')

/**
 * Makes the OpenAPI description of a route table from the routes that are served and the schemas
 * that validate. Loads the schemas of answers and the examples.
 *
 * Rejects if a schema is not documented and JSON Schema cannot express it
 */
export async function createOpenApi(
  routes: readonly AnyRoute[],
  info: OpenApiInfo,
  publicUrl?: string,
): Promise<OpenApiDocument> {
  const details = await Promise.all(routes.map(loadDetails))
  const roots = routes.flatMap(({ params, query, body }, index) =>
    [params, query, body, details[index]?.data].filter((schema) => schema !== undefined),
  )
  const schemas = convertSchemas(roots)
  const errors = new ErrorResponses()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [position, route] of routes.entries()) {
    const path = (paths[pathOf(route)] ??= {})
    path[route.method.toLowerCase()] = operationOf(route, details[position] ?? {}, schemas, errors)
  }
  const tags = [...new Set(routes.map(tagOf))]
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      ...info,
      description: info.description === undefined ? ABOUT : `${info.description}\n\n${ABOUT}`,
    },
    servers: [
      publicUrl === undefined
        ? // The URL is relative to this document's, so it is right below any mount path.
          { url: '../..', description: 'The server that gave this description' }
        : { url: publicUrl, description: 'The public address' },
    ],
    tags: tags.map((name) => ({ name, description: describeTag(name) })),
    paths,
    components: {
      schemas: { ...schemas.components, ...ERROR_SCHEMAS },
      headers: HEADERS,
      parameters: REQUEST_HEADERS,
      responses: errors.components,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, or a JWT of the authentication server: `Authorization: Bearer …`.',
        },
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'An API key in its own header.',
        },
        ...(routes.some(({ linkToken }) => linkToken) && {
          linkToken: {
            type: 'apiKey',
            in: 'query',
            name: 'token',
            description:
              'The signature of a link, valid for its path only and for a limited time. No other ' +
              'operation takes a credential in the query.',
          },
        }),
      },
    },
  }
  return withoutUnused(document)
}

/** Loads what a route has for its documentation. */
async function loadDetails({ data, example }: AnyRoute): Promise<RouteDetails> {
  return { ...(data && { data: await data() }), ...(example && { example: await example() }) }
}

/** Removes the components that nothing refers to. */
function withoutUnused(document: OpenApiDocument): OpenApiDocument {
  const text = JSON.stringify(document)
  const used = <T>(kind: string, all: Readonly<Record<string, T>>) =>
    Object.fromEntries(
      Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
    )
  const { schemas, headers, parameters, ...rest } = document.components
  return {
    ...document,
    components: {
      schemas: used('schemas', schemas),
      headers: used('headers', headers),
      parameters: used('parameters', parameters),
      ...rest,
    },
  }
}

/** Descriptions of the groups of operations. */
const TAGS: Readonly<Record<string, string>> = {
  tasks: 'Saved recipes: which pages to visit and what to extract.',
  executions: 'Runs of recipes, with states, counters and the outcome of every URL.',
  results: 'Rows of an execution, page by page or as a file.',
  keys: 'API keys. A key never has more scopes than the key that created it.',
  datasets: 'Rows merged over executions.',
  templates: 'The public catalog of curated recipes.',
  previews: 'Short, free runs with a daily quota.',
  media: 'Files downloaded from pages.',
  webhooks: 'Signed notifications to your URL.',
  analytics: 'Usage over time.',
  billing: 'Credits, plans and statements.',
  mcp: 'Calls that the MCP server makes for agents.',
  reference: 'This description.',
}

/** The description of a group. */
function describeTag(name: string): string {
  return TAGS[name] ?? `Operations on ${name}.`
}
