import { downloadOf } from './download.ts'
import type { Download } from './download.ts'
import { SeineError } from './error.ts'
import type { ListPage } from './from-schema.ts'
import type { CallOptions } from './options.ts'
import { parseObject, isObject } from './read-error.ts'
import { withQuery } from './path.ts'
import type { Query } from './path.ts'
import type { Send } from './send.ts'

/** Describes the call of an operation. Paths are below that of the API. */
export interface Call {
  /** `data` of the answer, of the type that the route table gives to the operation. */
  data<T extends object>(
    method: string,
    path: string,
    input: { readonly query?: Query | undefined; readonly body?: object | undefined },
    options?: CallOptions,
  ): Promise<T>
  /** A raw answer. */
  file(path: string, query?: Query, options?: CallOptions): Promise<Download>
  /** Iterates over all items of a list, page by page. */
  each<T>(path: string, query?: Query, options?: CallOptions): AsyncGenerator<T, void, undefined>
}

/** The calls of a client. It remembers the `ETag` of each `data` that it returned, for `ifMatch`. */
export function createCall(send: Send): Call {
  const tags = new WeakMap<object, string>()

  const tagOf = (ifMatch: object | string): string => {
    const tag = typeof ifMatch === 'string' ? ifMatch : tags.get(ifMatch)
    if (tag === undefined) throw new TypeError('ifMatch must be an ETag or a record of this client')
    return tag
  }

  const call: Call = {
    async data<T extends object>(
      method: string,
      path: string,
      {
        query = {},
        body,
      }: { readonly query?: Query | undefined; readonly body?: object | undefined },
      options: CallOptions = {},
    ) {
      const { ifMatch } = options
      const outgoing = {
        ...options,
        method,
        path: withQuery(path, query),
        ...(body && { body: JSON.stringify(body) }),
        ...(ifMatch !== undefined && { tag: tagOf(ifMatch) }),
      }
      return send(outgoing, async (response) => {
        const data = dataOf(response, await response.text())
        const tag = response.headers.get('etag')
        if (tag !== null) tags.set(data, tag)
        // The service's answers conform to the schema that `T` was derived from.
        return data as T
      })
    },
    file: async (path, query = {}, options = {}) =>
      send({ ...options, method: 'GET', path: withQuery(path, query) }, async (response) =>
        downloadOf(response),
      ),
    async *each<T>(path: string, query: Query = {}, options?: CallOptions) {
      for (let cursor = query['cursor']; ;) {
        const page = await call.data<ListPage<T>>(
          'GET',
          path,
          { query: { ...query, cursor } },
          options,
        )
        yield* page.items
        if (page.nextCursor === null) return
        cursor = page.nextCursor
      }
    },
  }
  return call
}

/**
 * Returns `data` of the envelope, or a bare body.
 *
 * @throws {SeineError} for anything else
 */
function dataOf({ status, headers }: Response, text: string): object {
  const body = parseObject(text)
  const data = body?.['success'] === undefined ? body : body['data']
  if (isObject(data)) return data
  throw new SeineError('UNEXPECTED_RESPONSE', 'The response does not come from this service', {
    status,
    requestId: headers.get('x-request-id'),
  })
}
