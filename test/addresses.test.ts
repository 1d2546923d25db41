import { expect, test } from 'vitest'
import { findAddressParts } from './support/sources/base-urls.ts'
import { readSources } from './support/sources/sources.ts'

/**
 * Each file that uses a part of an address, and how. Addresses that are given out begin with the
 * result of `createBaseUrl`, so a file of this list must give none out.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/kernel/http/base-url.ts': ['builds a URL'],
  // Checks whether a forwarded host can be part of a URL.
  'src/kernel/http/client-address.ts': ['builds a URL'],
  // Calls `createBaseUrl` with the URL of the request.
  'src/http/route-call.ts': ['reads request.url'],
  'src/mcp/handler.ts': ['reads request.url'],
  // Reads the path of the request, for the surface and for the service in this process.
  'src/http/handler.ts': ['reads request.url'],
  'src/platform/mcp.ts': ['reads request.url'],
  'src/features/media/routes.ts': ['reads request.url'],
  // Reads scheme and path, for an attribute of a trace.
  'src/http/traced.ts': ['reads request.url'],
  // Compares addresses to check who may call.
  'src/http/cors.ts': ['builds a URL', 'reads origin'],
  'src/mcp/origin.ts': [
    'reads host',
    'reads protocol',
    'reads request.url',
    'reads the header Host',
  ],
  // Makes the address of the metadata of a resource from the URL of the resource (RFC 9728).
  'src/mcp/resource-metadata.ts': ['reads origin'],
  // Checks which requests are for the console; its redirects come from `createBaseUrl`.
  'src/platform/console.ts': ['reads request.url'],
  // Use addresses of others: sites, and receivers of webhooks.
  'src/features/executions/receipt.ts': ['builds a URL', 'reads host'],
  'src/features/templates/catalog/link-check.ts': ['reads host'],
  'src/features/templates/catalog/search-results.ts': ['builds a URL'],
  'src/features/webhooks/webhook.ts': ['reads protocol'],
  'src/features/webhooks/mail/refuse-url.ts': ['builds a URL'],
  'src/kernel/url.ts': ['reads href', 'reads protocol'],
  // Names of resources with a scheme of their own, which are not links.
  'src/mcp/context/resources.ts': ['builds a URL'],
  // Invented addresses, for the documentation.
  'src/features/media/examples.ts': ['builds a URL'],
}

/**
 * These folders read sites, or run in the program of the caller: they give out no address of the
 * service.
 */
const ELSEWHERE = /^src\/(?:engine|crawl|client|console\/app)\//

const sources = new Map([...readSources('src')].filter(([file]) => !ELSEWHERE.test(file)))
const parts = findAddressParts(sources)

test('the check finds the known uses of addresses', () => {
  expect(sources.size).toBeGreaterThan(200)
  for (const [file, ways] of Object.entries(ALLOWED))
    expect([file, parts.filter((one) => one.file === file).map(({ way }) => way)]).toEqual([
      file,
      ways,
    ])
})

test('no other file could make an address', () => {
  expect(parts.filter(({ file, way }) => !ALLOWED[file]?.includes(way))).toEqual([])
})

const planted = (text: string) =>
  findAddressParts(new Map([['src/x.ts', text]])).map(({ way }) => way)

test.for<readonly [text: string, way: string]>([
  ['new URL(request.url).origin', 'reads origin'],
  ['const { origin } = new URL(given)', 'reads origin'],
  ['linkBase(call.request.url)', 'reads request.url'],
  ['linkBase(this.#parts.incoming.url)', 'reads request.url'],
  ['const { url } = call.request', 'reads request.url'],
  ['const f = ({ url }: Incoming) => url', 'reads request.url'],
  ['`https://${host}/api/v1`', 'builds a URL'],
  ['`${scheme}://${name}`', 'builds a URL'],
  ["'https://' + name", 'builds a URL'],
  ["scheme + '://' + name", 'builds a URL'],
  ["headers.get('host')", 'reads the header Host'],
  ["request.headers.get('X-Forwarded-Host')", 'reads the header Host'],
  ['location.href', 'reads href'],
])('planted: %s', ([text, way]) => {
  expect(planted(text)).toContain(way)
})

test.for([
  '// https://${host}',
  "const about = 'https://docs.test/page'",
  '`${call.base}/api/v1/executions/${id}`',
  'const { url } = page',
  'item.url',
])('harmless: %s', (text) => {
  expect(planted(text)).toEqual([])
})
