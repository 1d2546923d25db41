import type { PlatformError } from '../kernel/errors.ts'
import type { HeaderBag } from './header-bag.ts'

/** The success envelope (spec part 2). */
export function success(data: object, status: number, headers: HeaderBag): Response {
  return json(JSON.stringify({ success: true, data }), status, headers)
}

/** The error envelope (spec part 2), with the error's own headers. */
export function failure(error: PlatformError, headers: HeaderBag): Response {
  const { code, message, issues } = error
  const body = JSON.stringify({ success: false, error: issues.length > 0 ? { code, message, issues } : { code, message } })
  return json(body, error.status, { ...headers, ...error.headers })
}

function json(body: string, status: number, headers: HeaderBag): Response {
  return new Response(body, { status, headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8', 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' } })
}

/** Adds headers to a handler's own response, whose headers win. */
export function withHeaders(response: Response, headers: HeaderBag): Response {
  for (const [name, value] of Object.entries(headers)) if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}

/** The same answer without its body, as HEAD wants it; a body that was being made is told to stop. */
export function withoutBody(response: Response): Response {
  response.body?.cancel().catch(() => undefined)
  return new Response(null, { status: response.status, headers: response.headers })
}
