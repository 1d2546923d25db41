import * as v from 'valibot'
import { exportEntries, fieldsSchema, provenanceSchema } from '../common/export-schema.ts'
import { countedEntries } from '../common/list-schema.ts'

/** Query of the rows. */
export const resultsQuerySchema = v.strictObject({
  fields: v.exactOptional(fieldsSchema),
  provenance: v.exactOptional(provenanceSchema),
  ...countedEntries,
})

/** Query of a file of rows. */
export const exportQuerySchema = v.strictObject({
  ...exportEntries,
  provenance: v.exactOptional(provenanceSchema),
})
