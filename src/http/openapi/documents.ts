import { sha256Hex } from '../../kernel/crypto.ts'
import { once } from '../../kernel/concurrency.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { demandCoding } from '../content-coding.ts'
import type { Coding } from '../content-coding.ts'
import { createOpenApi } from './create-openapi.ts'
import type { OpenApiInfo } from './types.ts'

const encoder = new TextEncoder()

/** A document as bytes, which is made once and compressed once. */
export interface Made {
  readonly policy: string
  /**
   * The form that `Accept-Encoding` asks for. Each form has its own tag (RFC 9110 section 8.8.3).
   *
   * @throws {PlatformError} 406 where every coding is refused
   */
  as(acceptEncoding: string | null): Promise<Form>
}

interface Form {
  readonly body: Uint8Array<ArrayBuffer>
  readonly etag: string
  readonly coding: Coding
}

/** The description of routes, for programs and as a page. Each is made once. */
export function createDocuments(rows: readonly AnyRoute[], info: OpenApiInfo, server?: string) {
  const read = once(() => createOpenApi(rows, info, server))
  return {
    json: once(async () => made(JSON.stringify(await read()), "default-src 'none'")),
    page: once(async () => {
      const { renderPage } = await import('./page/render-page.ts')
      const body = renderPage(await read())
      return made(body, await policyOf(body))
    }),
  }
}

async function made(text: string, policy: string): Promise<Made> {
  const digest = (await sha256Hex(text)).slice(0, 32)
  const plain: Form = { body: encoder.encode(text), etag: `"${digest}"`, coding: 'identity' }
  const packed = once(async (): Promise<Form> => {
    const stream = new Blob([plain.body]).stream().pipeThrough(new CompressionStream('gzip'))
    const body = new Uint8Array(await new Response(stream).arrayBuffer())
    return { body, etag: `"${digest}.gz"`, coding: 'gzip' }
  })
  return {
    policy,
    as: async (acceptEncoding) => (demandCoding(acceptEncoding) === 'gzip' ? packed() : plain),
  }
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
