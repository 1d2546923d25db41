import type {
  HeaderObject,
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  ResponseObject,
} from '../types.ts'
import { html, prose, words } from '../../../kernel/http/html.ts'
import type { Html } from '../../../kernel/http/html.ts'
import { limitsOf, renderSchema, REQUIRED, typeOf } from './render-schema.ts'

const REFERENCES = /"#\/components\/schemas\/(\w+)"/g

/** Renders an operation: all that a caller needs, and a call to copy. */
export function renderOperation(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: Operation,
): Html {
  const { operationId, summary, description, requestBody } = operation
  const parameters = operation.parameters.map((parameter) =>
    '$ref' in parameter ? find(document.components.parameters, parameter) : parameter,
  )
  const responses = Object.entries(operation.responses)
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
  const schemas = bodies.map((schema) => renderSchema(schema, document.components.schemas))
  const answers = responses.map(([status, response]) =>
    '$ref' in response
      ? renderShared(document, status, response)
      : renderResponse(document, status, response),
  )
  const samples = responses.flatMap(([status, response]) =>
    '$ref' in response
      ? []
      : Object.entries(response.content ?? {}).map(([type, { example }]) =>
          example === undefined
            ? html`<p class="type">${status} ${type}: bytes</p>`
            : sample(`${status} ${type}`, textOf(example)),
        ),
  )
  const search = [
    method,
    path,
    operationId,
    summary,
    description,
    ...parameters.map(({ name }) => name),
    ...operation.security.flatMap((way) => Object.values(way).flat()),
  ]
    .join(' ')
    .toLowerCase()
  // The search also covers the schemas within a body.
  const uses = [...schemasIn(bodies, document.components.schemas)].join(' ')
  return html`<article class="operation" id="${operationId}" data-search="${search}"
  data-uses="${uses}" aria-labelledby="${operationId}-title">
<h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
<p class="call"><span class="method ${method}">${method.toUpperCase()}</span> <code>${pathParts(path)}</code></p>
<div class="columns"><div class="words">
${prose(description)}
${parameters.length > 0 && html`<h4>Parameters</h4><ul class="fields">${parameters.map(renderParameter)}</ul>`}
${requestBody ? html`<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>${schemas}` : null}
<h4>Answers</h4>
${answers}
</div><div class="samples">
${sample('Call', curlOf(method, path, operation, parameters))}
${samples}
</div></div>
</article>`
}

/** Returns the names of all schemas that schemas refer to, directly or through others. */
function schemasIn(
  roots: readonly JsonSchema[],
  components: Readonly<Record<string, JsonSchema>>,
  names: Set<string> = new Set(),
): ReadonlySet<string> {
  for (const [, name = ''] of JSON.stringify(roots).matchAll(REFERENCES)) {
    const schema = names.has(name) ? undefined : components[name]
    if (schema === undefined) continue
    names.add(name)
    schemasIn([schema], components, names)
  }
  return names
}

function renderParameter(parameter: Parameter): Html {
  const { name, required, schema, description } = parameter
  return html`<li><code class="name">${name}</code>${required && REQUIRED}
<span class="place">${parameter.in}</span>
<span class="type">${typeOf(schema)}</span>
${limitsOf(schema)}<span class="about">${words(description)}</span></li>`
}

/** Links to a response that many operations share and that the page shows once. */
function renderShared(document: OpenApiDocument, status: string, response: Reference): Html {
  const { description } = find(document.components.responses, response)
  return html`<p class="answer"><span class="status s${status.charAt(0)}">${status}</span>
<a href="#answer-${nameOf(response)}">${words(description)}</a></p>`
}

function renderResponse(document: OpenApiDocument, status: string, response: ResponseObject): Html {
  return html`<details><summary><span class="status s${status.charAt(0)}">${status}</span>
${words(response.description)}</summary>${renderContents(document, response)}</details>`
}

/** Bodies and headers of an answer. */
export function renderContents(
  document: OpenApiDocument,
  { headers, content = {} }: ResponseObject,
  showsExample = false,
): Html {
  const { components } = document
  const bodies = Object.entries(content).map(([type, { schema, example }]) => {
    const shown =
      showsExample && example !== undefined && html`<pre tabindex="0">${textOf(example)}</pre>`
    return html`<p class="type">${type}</p>${renderSchema(schema, components.schemas)}${shown}`
  })
  const fields = Object.entries(headers).map(([name, header]) =>
    renderHeader(name, '$ref' in header ? find(components.headers, header) : header),
  )
  return html`${bodies}
<p class="type">Headers</p><ul class="fields">${fields}</ul>`
}

function renderHeader(name: string, { schema, description }: HeaderObject): Html {
  return html`<li><code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>
<span class="about">${words(description)}</span></li>`
}

function sample(title: string, text: string): Html {
  const button = html`<button type="button" class="copy" hidden>Copy</button>`
  return html`<figure><figcaption>${title}${button}</figcaption>
<pre tabindex="0">${text}</pre></figure>`
}

function pathParts(path: string): Html {
  const parts = path
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? html`<span class="slot">${part}</span>` : part))
  return html`${parts}`
}

function textOf(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2)
}

function nameOf({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

function find<T>(components: Readonly<Record<string, T>>, reference: Reference): T {
  const component = components[nameOf(reference)]
  if (component === undefined) throw new Error(`${reference.$ref} leads nowhere`)
  return component
}

/** Placeholder of the address in a call. The page replaces it with its own address. */
const BASE = '$BASE_URL'

/** The command line of the call in an operation's example. */
function curlOf(
  method: string,
  path: string,
  operation: Operation,
  parameters: readonly Parameter[],
): string {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(exampleOf(parameters, 'path', name) ?? `<${name}>`),
  )
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
  const search = query.length > 0 ? `?${query.join('&')}` : ''
  const option = method === 'get' ? '' : `-X ${method.toUpperCase()} `
  const body = operation.requestBody?.content['application/json']?.example
  return [
    `curl ${option}"${BASE}${url}${search}"`,
    ...(operation.security.some((way) => 'bearer' in way)
      ? ['-H "Authorization: Bearer $API_KEY"']
      : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(' \\\n  ')
}

function exampleOf(
  parameters: readonly Parameter[],
  location: Parameter['in'],
  name: string,
): unknown {
  return parameters.find((parameter) => parameter.in === location && parameter.name === name)
    ?.example
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
