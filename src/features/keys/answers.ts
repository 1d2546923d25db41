import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { timeSchema } from '../common/list-schema.ts'

const entries = {
  id: v.string(),
  name: v.string(),
  scopes: v.array(v.string()),
  makerId: v.pipe(
    v.nullable(v.string()),
    v.description(
      'Id of the key that created this one; `null`: it was created without a key, such as in ' +
        'a session.',
    ),
  ),
  hint: v.pipe(v.string(), v.description('The beginning of the secret, to tell keys apart.')),
  createdAt: timeSchema,
  expiresAt: v.nullable(timeSchema),
  revokedAt: v.nullable(timeSchema),
  lastUsedAt: v.nullable(timeSchema),
}

/** A key on the wire. */
export const keySchema = v.pipe(v.strictObject(entries), documented({ component: 'ApiKey' }))

/** A key that was revoked. */
export const revokedKeySchema = v.pipe(
  v.strictObject({
    ...entries,
    descendantsRevoked: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description('Keys created by it, directly or indirectly, that this call has revoked.'),
    ),
  }),
  documented({ component: 'RevokedApiKey' }),
)

/** A new key: the only response that contains the secret. */
export const createdKeySchema = v.pipe(
  v.strictObject({ ...entries, secret: v.pipe(v.string(), v.description('Shown only once.')) }),
  documented({ component: 'CreatedApiKey' }),
)
