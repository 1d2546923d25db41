import * as v from 'valibot'
import { createdEntries } from '../common/list-schema.ts'

/** Query of the list. */
export const mediaQuerySchema = v.strictObject(createdEntries)

/** The path of a link. The service refuses any path that it did not make. */
export const mediaPathSchema = v.strictObject({
  owner: v.pipe(v.string(), v.description('Identifies the account without revealing it.')),
  sha256: v.pipe(v.string(), v.description('Digest of the bytes.')),
  name: v.pipe(v.string(), v.description('File name.')),
})

/** Query of a link. */
export const mediaTokenSchema = v.strictObject({
  token: v.exactOptional(
    v.pipe(
      v.string(),
      v.description("The link's signature. Valid for this path only, and for a limited time."),
    ),
  ),
})
