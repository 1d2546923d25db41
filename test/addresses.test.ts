import { expect, test } from 'vitest'
import { findAddressParts } from './support/sources/base-urls.ts'
import { readSources } from './support/sources/sources.ts'

/**
 * Each file below that touches a part of an address, and how. Addresses that are given out begin
 * with what `createBaseUrl` returns, so whoever is added here gives none out.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/kernel/http/base-url.ts': ['builds a URL'],
  // Whether a forwarded host can be part of a URL.
  'src/kernel/http/client-address.ts': ['builds a URL'],
  // The one function is asked with the request's URL.
  'src/http/route-call.ts': ['reads request.url'],
  'src/mcp/handler.ts': ['reads request.url'],
  // The path of the request: to the surface, and to the service in this process.
  'src/http/handler.ts': ['reads request.url'],
  'src/platform/mcp.ts': ['reads request.url'],
  'src/features/media/routes.ts': ['reads request.url'],
  // Its scheme and path, for an attribute of a trace.
  'src/http/traced.ts': ['reads request.url'],
  // Who may call: comparisons.
  'src/http/cors.ts': ['builds a URL', 'reads origin'],
  'src/mcp/origin.ts': [
    'reads host',
    'reads protocol',
    'reads request.url',
    'reads the header Host',
  ],
  // The place of the metadata of a resource whose URL it is given (RFC 9728).
  'src/mcp/resource-metadata.ts': ['reads origin'],
  // Which requests are for the console; where it leads comes from the one function.
  'src/platform/console.ts': ['reads request.url'],
  // Addresses of others: sites, and receivers of webhooks.
  'src/features/templates/catalog/link-check.ts': ['reads host'],
  'src/features/templates/catalog/search-results.ts': ['builds a URL'],
  'src/features/webhooks/webhook.ts': ['reads protocol'],
  'src/kernel/url.ts': ['reads href', 'reads protocol'],
  // Names of resources, of a scheme of their own: they lead nowhere.
  'src/mcp/context/resources.ts': ['builds a URL'],
  // Invented ones, for the documentation.
  'src/features/media/examples.ts': ['builds a URL'],
}

/** These read sites, or are at the caller's: they give out no address of the service. */
const ELSEWHERE = /^src\/(?:engine|crawl|client|console\/app)\//

const sources = new Map([...readSources('src')].filter(([file]) => !ELSEWHERE.test(file)))
const parts = findAddressParts(sources)

test('the check sees what there is', () => {
  expect(sources.size).toBeGreaterThan(200)
  for (const [file, ways] of Object.entries(ALLOWED))
    expect([file, parts.filter((one) => one.file === file).map(({ way }) => way)]).toEqual([
      file,
      ways,
    ])
})

test('no other place could make an address', () => {
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
