import * as v from 'valibot'
import { isInCalendar } from '../common/time.ts'
import { documented } from '../../kernel/schema.ts'
import { SCOPES, isGrantable } from '../../kernel/scope.ts'
import { listEntries, timeSchema } from '../common/list-schema.ts'

const GRANTABLE = [
  '*',
  ...new Set(SCOPES.map((scope) => `${scope.slice(0, scope.indexOf(':'))}:*`)),
  ...SCOPES,
]
const scopeSchema = v.pipe(
  v.string(),
  v.check(isGrantable, 'is not a known scope'),
  documented({ json: { type: 'string', enum: GRANTABLE } }),
)

/** Body of a new key. */
export const keyInputSchema = v.pipe(
  v.strictObject({
    name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
    scopes: v.pipe(
      v.array(scopeSchema),
      v.minLength(1),
      v.maxLength(50),
      v.description('Only scopes that the creating key has.'),
    ),
    expiresAt: v.exactOptional(
      v.pipe(
        v.string(),
        v.isoTimestamp('must be an ISO 8601 time such as 2030-01-31T12:00:00Z'),
        v.check(
          (text) => isInCalendar(text) && Number.isFinite(Date.parse(text)),
          'is not a valid date',
        ),
        v.description(
          "Must not be later than the expiry of the key that creates it. Default: that key's " +
            'expiry, or none if it has none or no key creates it.',
        ),
      ),
    ),
  }),
  documented({ component: 'KeyInput' }),
)

/** Query of the list. */
export const keyQuerySchema = v.strictObject(listEntries)

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

/** Query of a revocation. */
export const revokeQuerySchema = v.strictObject({
  descendants: v.exactOptional(
    v.pipe(
      v.picklist(['true', 'false']),
      v.description(
        '`true`: revokes the keys that this one created too, and those that they created. ' +
          'Default `false`.',
      ),
    ),
  ),
})

/** A key that was revoked. */
export const revokedKeySchema = v.pipe(
  v.strictObject({
    ...entries,
    descendantsRevoked: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description('Keys below it that this call has revoked.'),
    ),
  }),
  documented({ component: 'RevokedApiKey' }),
)

/** A new key: the only response that contains the secret. */
export const createdKeySchema = v.pipe(
  v.strictObject({ ...entries, secret: v.pipe(v.string(), v.description('Shown only once.')) }),
  documented({ component: 'CreatedApiKey' }),
)
