import * as v from 'valibot'
import { exportEntries } from '../common/export-schema.ts'
import { createdEntries, rangeEntries } from '../common/list-schema.ts'

const nameSchema = (description: string) =>
  v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.description(description))

const filterEntries = {
  ...rangeEntries,
  operation: v.exactOptional(nameSchema('An operation, such as `tasks.create`.')),
  user: v.exactOptional(nameSchema('The user who asked for the write.')),
  keyId: v.exactOptional(nameSchema('Id of the API key that was used.')),
  subjectId: v.exactOptional(nameSchema('Id of the record that was written.')),
}

/** Query of the list. */
export const auditQuerySchema = v.strictObject({ ...filterEntries, ...createdEntries })

/** Query of the export. */
export const auditExportQuerySchema = v.strictObject({
  ...filterEntries,
  format: exportEntries.format,
})
