import { ifNoneMatch } from '../../kernel/http/headers.ts'
import { once } from '../../kernel/concurrency.ts'
import { createBaseUrl } from '../../kernel/http/base-url.ts'
import { defineRoute } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import type { Made } from './documents.ts'
import type { OpenApiInfo } from './types.ts'

/** The document does not change while the process runs. */
const PUBLIC_FOR_SECONDS = 300

const TAGGED = {
  ETag: 'Tag of this document.',
  'Cache-Control': 'How long the document may be cached.',
  'Content-Encoding': '`gzip`, if `Accept-Encoding` allows it.',
  Vary: '`Accept-Encoding`.',
}

/**
 * The routes that describe all routes, including themselves: `openapi.json` for programs, and a
 * page for people. Each platform makes both documents once, at the first request, and loads their
 * code then. They are public, and their requests count like those for the catalog. `later` gives
 * further routes to describe.
 */
export function referenceRoutes(
  rows: readonly AnyRoute[],
  info: OpenApiInfo,
  publicUrl?: string | URL,
  later?: (() => Promise<readonly AnyRoute[]>) | null,
): AnyRoute[] {
  const server = publicUrl === undefined ? undefined : createBaseUrl({ publicUrl })('')
  const documents = once(async () => {
    const { createDocuments } = await import('./documents.ts')
    const described = [...rows, ...((await later?.()) ?? []), ...own].filter(
      ({ isDescribed }) => isDescribed !== false,
    )
    return createDocuments(described, info, server)
  })
  const own: readonly AnyRoute[] = [
    defineRoute({
      method: 'GET',
      path: '/api/v1/openapi.json',
      operation: 'reference.openapi',
      summary: 'Returns the description of this API (OpenAPI 3.1)',
      scope: null,
      limit: 'tasks',
      publicForSeconds: PUBLIC_FOR_SECONDS,
      raw: {
        contents: {
          'application/json':
            '{"openapi":"3.1.1","info":{"title":"Seine","version":"0.1.0"},"paths":{}}',
        },
        headers: TAGGED,
      },
      handler: async ({ request }) =>
        answer(request, await (await documents()).json(), 'application/json'),
    }),
    defineRoute({
      method: 'GET',
      path: '/docs',
      operation: 'reference.page',
      summary: 'Returns the reference of this API as a page',
      scope: null,
      limit: 'tasks',
      publicForSeconds: PUBLIC_FOR_SECONDS,
      raw: {
        contents: { 'text/html': '<!doctype html><title>Seine reference</title>' },
        headers: {
          ...TAGGED,
          'Content-Security-Policy': "Allows only the page's own script.",
        },
      },
      handler: async ({ request }) =>
        answer(request, await (await documents()).page(), 'text/html; charset=utf-8'),
    }),
  ]
  return [...own]
}

async function answer(request: Request, document: Made, type: string): Promise<Response> {
  const { body, etag, coding } = await document.as(request.headers.get('accept-encoding'))
  const headers = {
    'Content-Type': type,
    ETag: etag,
    'Cache-Control': `public, max-age=${PUBLIC_FOR_SECONDS}`,
    'Content-Security-Policy': document.policy,
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  }
  const heldEtags = request.headers.get('if-none-match')
  if (heldEtags !== null && ifNoneMatch(heldEtags, etag))
    return new Response(null, { status: 304, headers })
  return new Response(body, {
    headers: { ...headers, ...(coding === 'gzip' && { 'Content-Encoding': coding }) },
  })
}

/** The default. The version is that of the package, so that an operator can see what runs. */
export const DEFAULT_INFO: OpenApiInfo = {
  title: 'Seine',
  version: '0.1.0',
  description: 'Web data as rows: save a recipe, run it, read its rows.',
  license: { name: 'MIT', identifier: 'MIT' },
}
