import * as v from 'valibot'
import { isInCalendar } from '../common/time.ts'
import { documented } from '../../kernel/schema.ts'
import { GRANTABLE, notGrantable } from '../../kernel/scope.ts'
import { createdEntries } from '../common/list-schema.ts'

const scopeSchema = v.pipe(
  v.string(),
  v.check(
    (scope) => notGrantable(scope) === null,
    ({ input }) => notGrantable(input) ?? '',
  ),
  documented({ json: { type: 'string', enum: [...GRANTABLE] } }),
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
        v.isoTimestamp(),
        v.check(
          (text) => !/^\d{4}-\d\d-\d\dT/.test(text) || isDate(text),
          'must be a day that exists in the calendar',
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

function isDate(text: string): boolean {
  return isInCalendar(text) && Number.isFinite(Date.parse(text))
}

/** Query of the list. */
export const keyQuerySchema = v.strictObject(createdEntries)

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
