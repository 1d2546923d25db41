/**
 * The request with an address that can be taken apart; `null` where it names no valid host. Servers hand over what came: Bun a path alone where
 * there was no host (as probes by HTTP/1.0 have none) or an invalid one, Deno anything.
 */
export function addressed(request: Request): Request | null {
  const { url } = request
  if (url.startsWith('/')) return request.headers.get('host') ? null : new Request(`http://localhost${url}`, request)
  const parsed = URL.parse(url)
  return parsed === null || parsed.username !== '' || parsed.password !== '' ? null : request
}
