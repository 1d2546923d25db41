import type { HttpContext } from '../../../src/kernel/http/message.ts'
import type { HttpHandler } from '../../../src/http/handler.ts'
import { createOpenApi } from '../../../src/http/openapi/create-openapi.ts'
import { DEFAULT_INFO } from '../../../src/http/openapi/routes.ts'
import type { AnyRoute } from '../../../src/kernel/http/route.ts'
import { DocumentCheck } from '../sources/document-check.ts'

const checks = new Map<string, Promise<DocumentCheck>>()

/**
 * The same HTTP surface, which makes the test fail for any answer that is not in its OpenAPI
 * description.
 */
export function createDescribed(routes: readonly AnyRoute[], http: HttpHandler): HttpHandler {
  const check = checkOf(routes)
  const described = async (request: Request, context?: HttpContext): Promise<Response> => {
    const { method, url } = request
    const response = await http(request, context)
    const wrong = await (await check).violations(method, new URL(url).pathname, response)
    if (wrong.length > 0) throw new Error(`${method} ${url}: ${wrong.join('; ')}`)
    return response
  }
  return Object.assign(described, { reply: http.reply })
}

/** The check of answers by the description of these rows, whose schemas are the same for every host. */
export function checkOf(routes: readonly AnyRoute[]): Promise<DocumentCheck> {
  const name = JSON.stringify(routes.map(({ operation, bodies }) => [operation, bodies]))
  const check =
    checks.get(name) ??
    createOpenApi(routes, DEFAULT_INFO).then((document) => new DocumentCheck(document))
  checks.set(name, check)
  return check
}
