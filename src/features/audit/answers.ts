import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { timeSchema } from '../common/list-schema.ts'

/** An entry of the audit log on the wire. */
export const auditEntrySchema = v.pipe(
  v.strictObject({
    id: v.string(),
    at: timeSchema,
    operation: v.pipe(v.string(), v.description('Operation of the API, such as `tasks.create`.')),
    subjectId: v.pipe(
      v.nullable(v.string()),
      v.description('Id of the record that was written; `null`: there is none.'),
    ),
    user: v.string(),
    keyId: v.pipe(
      v.nullable(v.string()),
      v.description('The API key that was used; `null`: another credential.'),
    ),
    ip: v.pipe(
      v.nullable(v.string()),
      v.description("The client's address; `null`: the host does not know it."),
    ),
    requestId: v.pipe(v.string(), v.description('`X-Request-Id` of the answer.')),
    status: v.pipe(v.number(), v.integer(), v.description('HTTP status of the answer.')),
    code: v.pipe(
      v.nullable(v.string()),
      v.description('Code of the refusal; `null`: the write was done.'),
    ),
  }),
  documented({ component: 'AuditEntry' }),
)

/** An entry of the audit log on the wire. */
export type AuditLogEntry = v.InferOutput<typeof auditEntrySchema>
