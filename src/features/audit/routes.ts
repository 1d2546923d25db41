import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { EXPORT_ANSWER, downloadOf } from '../common/downloads.ts'
import { countedPageSchema } from '../common/list-schema.ts'
import { auditExportQuerySchema, auditQuerySchema } from './schema.ts'
import type { Audit } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).AUDIT_EXAMPLES)

/** The routes of the audit log. */
export function auditRoutes(audit: Audit): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/audit',
      operation: 'audit.list',
      summary: 'Lists the writes of the account, newest first',
      scope: 'audit:read',
      limit: 'tasks',
      query: auditQuerySchema,
      data: answer((all) => countedPageSchema(all.auditEntrySchema)),
      errors: ['NOT_FOUND'],
      description:
        'Each write has one entry, even if it was refused. There are none for requests without ' +
        'a valid credential, scope or body, for previews and estimates, and for tool calls ' +
        'that do not start or end a run. Entries ' +
        'are kept for 90 days, unless the operator changes that. If the operator keeps no log, the ' +
        'answer is 404.',
      example: example('list'),
      handler: ({ principal, query }) => audit.list(principal, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/audit/export',
      operation: 'audit.export',
      summary: 'Returns the writes of the account as a file',
      scope: 'audit:read',
      limit: 'tasks',
      query: auditExportQuerySchema,
      raw: EXPORT_ANSWER,
      errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS', 'UNPROCESSABLE_CONTENT'],
      example: example('export'),
      handler: async ({ principal, query }) => downloadOf(await audit.export(principal, query)),
    }),
  ]
}
