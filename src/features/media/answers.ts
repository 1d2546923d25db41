import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'
import { timeSchema } from '../common/list-schema.ts'

/** A deleted media item. */
export const mediaDeletedSchema = v.strictObject({ id: v.string(), deleted: v.literal(true) })

/** A media item on the wire. */
export const mediaItemSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    kind: v.picklist(['image', 'file', 'screenshot']),
    name: v.pipe(v.string(), v.description('Proposed file name.')),
    contentType: v.pipe(
      v.string(),
      v.description(
        'Detected from the bytes where possible; anything that a browser could run is ' +
          '`application/octet-stream`.',
      ),
    ),
    bytes: countSchema,
    sha256: v.pipe(v.string(), v.regex(/^[\da-f]{64}$/)),
    width: v.pipe(
      v.nullable(countSchema),
      v.description("Size in pixels, if the image's header states it."),
    ),
    height: v.nullable(countSchema),
    sourceUrl: v.pipe(
      v.string(),
      v.description('First URL of the bytes; of a `data:` URL, its beginning.'),
    ),
    firstSeenAt: timeSchema,
    url: v.pipe(
      v.string(),
      v.description(
        'Link to the bytes. It works for anyone, without a credential, until `urlExpiresAt`.',
      ),
    ),
    urlExpiresAt: timeSchema,
  }),
  documented({ component: 'MediaItem' }),
)
