import { once } from '../kernel/concurrency.ts'
import { ifNoneMatch } from '../kernel/http/headers.ts'
import type { Incoming, Reply } from '../kernel/http/message.ts'
import { readCapped } from '../kernel/http/message.ts'
import { baseAddress, callback, checkOptions, flag, nonEmpty } from '../kernel/options.ts'
import type { Asset, Assets } from './assets.ts'
import { consolePath } from './options.ts'
import type { Console, ConsoleOptions } from './options.ts'
import { pageOf, POLICY } from './page.ts'

/** Files below this path are never compressed, whatever the request accepts. `boot.ts` needs them. */
const PLAIN = '/plain/'
/** Maximum length of a body. A code has some tens of characters, and more is not read. */
const MOST_CODE_BYTES = 4_096

/**
 * Makes the console for `createPlatform({ console })`. On Node, Bun and Deno, `console: true` makes
 * one by itself; on other runtimes, import this. So a bundle without it does not contain the
 * console.
 *
 * @example
 *   const platform = createPlatform({ console: createConsole({ title: 'Data of Example Ltd' }) })
 *
 * @throws {TypeError} for unknown and wrong options
 */
export function createConsole(options: ConsoleOptions = {}): Console {
  checkOptions<ConsoleOptions>('createConsole', options, {
    path: consolePath,
    title: nonEmpty,
    signIn: baseAddress,
    exchange: callback,
    home: flag,
  })
  const load = once(async (): Promise<Assets> => (await import('#console-assets')).assets)
  const { exchange } = options

  return {
    path: options.path,
    home: options.home ?? false,
    async reply(request, { base, api, rest }) {
      if (rest === '/session' && exchange && request.method === 'POST')
        return keyFor(request, exchange)
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return text(405, 'The console answers only GET and HEAD', { allow: 'GET, HEAD' })
      const assets = await load()
      const isPlain = rest.startsWith(PLAIN)
      const name = rest.slice(isPlain ? PLAIN.length : 1)
      const file = Object.hasOwn(assets.files, name) ? assets.files[name] : undefined
      if (file) return assetReply(request, name, file, isPlain)
      // A missing file with a hash in its name belongs to another version, and is not the address
      // of a screen.
      if (/\.(?:js|css)$/.test(name))
        return text(404, 'This version of the console has no such file')
      const page = pageOf(options, { base, api }, assets)
      return html(page, request.method === 'HEAD')
    },
  }
}

function html(page: string, isHead: boolean): Reply {
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    },
    body: isHead ? null : page,
  }
}

function text(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    },
    body: message,
  }
}

/** Answers with a file. Its name contains the digest of its content, so the name is also its tag. */
async function assetReply(
  request: Incoming,
  name: string,
  load: () => Promise<{ readonly asset: Asset }>,
  isPlain: boolean,
): Promise<Response> {
  const isPacked = !isPlain && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  const etag = isPacked ? `"${name}.gz"` : `"${name}"`
  const headers = {
    // Some proxies drop `Content-Encoding`; this asks them not to (RFC 9111 section 5.2.2.6).
    'cache-control': 'public, max-age=31536000, immutable, no-transform',
    etag,
    vary: 'Accept-Encoding',
  }
  if (ifNoneMatch(request.headers.get('if-none-match') ?? '', etag))
    return new Response(null, { status: 304, headers })
  const { type, gzip } = (await load()).asset
  const packed = Uint8Array.from(atob(gzip), (character) => character.charCodeAt(0))
  const body = isPacked
    ? packed
    : new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(request.method === 'HEAD' ? null : body, {
    headers: {
      ...headers,
      'content-type': type,
      'x-content-type-options': 'nosniff',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    },
  })
}

async function keyFor(
  request: Incoming,
  exchange: (code: string) => Promise<string | null>,
): Promise<Reply> {
  const body = await readCapped(request, MOST_CODE_BYTES)
  const code = typeof body === 'string' ? body : body && new TextDecoder().decode(body)
  const key = code ? await exchange(code) : null
  return key === null
    ? text(403, 'This sign-in link was used before, or is too old. Ask the server for a new one')
    : text(200, key)
}
