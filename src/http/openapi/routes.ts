import { sha256Hex } from '../../kernel/crypto.ts'
import { ifNoneMatch } from '../../kernel/http/headers.ts'
import { once } from '../../kernel/concurrency.ts'
import { createBaseUrl } from '../../kernel/http/base-url.ts'
import { defineRoute } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import type { OpenApiDocument, OpenApiInfo } from './types.ts'

const encoder = new TextEncoder()

/** The document does not change while the process runs. */
const PUBLIC_FOR_SECONDS = 300

/** A document that is made once, as bytes, with its tag. */
interface Made {
  readonly body: Uint8Array<ArrayBuffer>
  readonly etag: string
  readonly policy: string
}

const TAGGED = {
  ETag: 'Tag of this document.',
  'Cache-Control': 'How long the document may be cached.',
}

/**
 * The routes that describe all given routes and themselves: `openapi.json` for programs, a page for
 * people. Both documents are made, and their code is loaded, at the first request, once for each
 * platform. They are public, so requests count as those of the catalog do.
 */
export function referenceRoutes(
  rows: readonly AnyRoute[],
  info: OpenApiInfo,
  publicUrl?: string | URL,
): AnyRoute[] {
  const server = publicUrl === undefined ? undefined : createBaseUrl({ publicUrl })('')
  const read = async (): Promise<OpenApiDocument> => {
    const { createOpenApi } = await import('./create-openapi.ts')
    return createOpenApi([...rows, ...own], info, server)
  }
  const json = once(async () => made(JSON.stringify(await read()), "default-src 'none'"))
  const page = once(async () => {
    const { renderPage } = await import('./page/render-page.ts')
    const body = renderPage(await read())
    return made(body, await policyOf(body))
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
            '{"openapi":"3.1.1","info":{"title":"Seine","version":"1.0.0"},"paths":{}}',
        },
        headers: TAGGED,
      },
      handler: async ({ request }) => answer(request, await json(), 'application/json'),
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
      handler: async ({ request }) => answer(request, await page(), 'text/html; charset=utf-8'),
    }),
  ]
  return [...own]
}

function answer(request: Request, { body, etag, policy }: Made, type: string): Response {
  const headers = {
    'Content-Type': type,
    ETag: etag,
    'Cache-Control': `public, max-age=${PUBLIC_FOR_SECONDS}`,
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  }
  const heldEtags = request.headers.get('if-none-match')
  return heldEtags !== null && ifNoneMatch(heldEtags, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers })
}

async function made(body: string, policy: string): Promise<Made> {
  return { body: encoder.encode(body), policy, etag: `"${(await sha256Hex(body)).slice(0, 32)}"` }
}

/** Allows exactly the style and the script that the page holds (CSP level 3, section 6.7.3). */
async function policyOf(page: string): Promise<string> {
  const hashOf = async (tag: string) => {
    const text = page.split(`<${tag}>`, 2)[1]?.split(`</${tag}>`, 1)[0] ?? ''
    const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text))
    return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`
  }
  return [
    "default-src 'none'",
    `style-src ${await hashOf('style')}`,
    `script-src ${await hashOf('script')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The default. The version is that of the wire contract. */
export const DEFAULT_INFO: OpenApiInfo = {
  title: 'Seine',
  version: '1.0.0',
  description: 'Web data as rows: save a recipe, run it, read its rows.',
  license: { name: 'MIT', identifier: 'MIT' },
}
