import { answersFrom, MEDIA_BODIES, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import { MEDIA_EXTENSIONS, UNKNOWN_TYPE } from '../../engine/media/media-types.ts'
import { notFound } from '../../kernel/errors.ts'
import type { AnyRoute, RawAnswer } from '../../kernel/http/route.ts'
import { idParamsSchema, countedPageSchema } from '../common/list-schema.ts'
import { mediaPath } from './links.ts'
import type { LinkedMedia } from './links.ts'
import { mediaPathSchema, mediaQuerySchema, mediaTokenSchema } from './schema.ts'
import type { Media } from './service.ts'

/** The answer of a link to media. */
const MEDIA_ANSWER: RawAnswer = {
  contents: Object.fromEntries(
    [...Object.keys(MEDIA_EXTENSIONS), UNKNOWN_TYPE].map((type) => [type, null]),
  ),
  ranges: true,
  headers: {
    ETag: 'Digest of the bytes.',
    'Content-Disposition':
      '`inline` for images without active content, else `attachment`, with the name (RFC 6266).',
    'Cross-Origin-Resource-Policy': '`cross-origin`: pages of any origin may show it.',
  },
}

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).MEDIA_EXAMPLES)

/** The routes of media. */
export function mediaRoutes(media: Media): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/media',
      operation: 'media.list',
      summary: 'Lists media items, newest first, with fresh links to their bytes',
      scope: 'media:read',
      limit: 'tasks',
      query: mediaQuerySchema,
      data: answer((all) => countedPageSchema(all.mediaItemSchema)),
      description: '`from`, `to` and `sort` refer to the time `firstSeenAt`.',
      example: example('list'),
      handler: (call) => media.list(call.principal, call.query, () => call.base),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/media/:id',
      operation: 'media.get',
      summary: 'Reads a media item, with a fresh link to its bytes',
      scope: 'media:read',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.mediaItemSchema),
      example: example('get'),
      handler: (call) => media.get(call.principal, call.params.id, () => call.base),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/media/:id',
      operation: 'media.delete',
      summary: 'Deletes a media item',
      scope: 'media:write',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.mediaDeletedSchema),
      description:
        'Its links are 404 from now on, and its bytes are erased a few minutes later. Rows that ' +
        'refer to it keep its id and its source. If another page has it, it is stored again.',
      example: example('delete'),
      handler: ({ principal, params, preconditions }) =>
        media.delete(principal, params.id, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/media/:owner/:sha256/:name',
      operation: 'media.file',
      summary: 'Returns the bytes of a media item to anyone who has its link',
      scope: null,
      limit: null,
      params: mediaPathSchema,
      query: mediaTokenSchema,
      linkToken: true,
      bodies: MEDIA_BODIES,
      description:
        'Links come with media items and with the rows that refer to them. An expired, changed ' +
        'or invented link is 403.',
      errors: ['FORBIDDEN', 'TOO_MANY_REQUESTS'],
      raw: MEDIA_ANSWER,
      example: example('file'),
      async handler({ params, query, request }) {
        demandWritten(request.url, params)
        const { serveMedia } = await import('./serve-media.ts')
        return serveMedia(request, await media.open(params, query.token ?? ''))
      },
    }),
  ]
}

/**
 * Refuses a path that spells a signed path differently: only the signed spelling is valid.
 *
 * @throws {PlatformError} 404
 */
function demandWritten(url: string, target: LinkedMedia & { readonly owner: string }): void {
  if (!new URL(url).pathname.endsWith(mediaPath(target.owner, target))) throw notFound('Media item')
}
