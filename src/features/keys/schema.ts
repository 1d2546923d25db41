import * as v from 'valibot'
import { isGrantable } from '../../kernel/scope.ts'
import { listEntries, timeSchema } from '../list-schema.ts'

const scopeSchema = v.pipe(v.string(), v.check(isGrantable, 'is no known scope'))

/** Body of a new key. */
export const keyInputSchema = v.strictObject({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)),
  scopes: v.pipe(v.array(scopeSchema), v.minLength(1), v.maxLength(50)),
  expiresAt: v.exactOptional(v.pipe(v.string(), v.isoTimestamp('must be an ISO 8601 time such as 2030-01-31T12:00:00Z'), v.check((text) => Number.isFinite(Date.parse(text)), 'is no time of the calendar'))),
})

/** Query of the list. */
export const keyQuerySchema = v.strictObject(listEntries)

const entries = {
  id: v.string(),
  name: v.string(),
  scopes: v.array(v.string()),
  hint: v.string(),
  createdAt: timeSchema,
  expiresAt: v.nullable(timeSchema),
  revokedAt: v.nullable(timeSchema),
  lastUsedAt: v.nullable(timeSchema),
}

/** A key on the wire. */
export const keySchema = v.strictObject(entries)

/** A new key: the only answer that holds the secret. */
export const createdKeySchema = v.strictObject({ ...entries, secret: v.string() })
