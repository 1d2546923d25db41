import type { Operation, Parameter } from '../types.ts'

/** Stands for the address in a call until the page knows where it is served. */
export const BASE = '$BASE_URL'

/** A command line that makes the call of an operation's example. */
export function curlOf(
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
  const body = operation.requestBody?.content['application/json']?.example
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${BASE}${url}${query.length > 0 ? `?${query.join('&')}` : ''}"`,
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
  place: Parameter['in'],
  name: string,
): unknown {
  return parameters.find((parameter) => parameter.in === place && parameter.name === name)?.example
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
