import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { downloadOf } from '../common/downloads.ts'
import { importQuerySchema, taskFileSchema } from './schema.ts'
import type { TaskFiles } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).TASK_FILE_EXAMPLES)

/** The routes of files of tasks. */
export function taskFileRoutes(files: TaskFiles): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/tasks/export',
      operation: 'tasks.export',
      summary: 'Returns all tasks as a file',
      scope: 'tasks:read',
      limit: 'tasks',
      raw: {
        contents: { 'application/json': '{"version":1,"tasks":[]}' },
        headers: { 'Content-Disposition': 'Name of the file (RFC 6266).' },
      },
      errors: ['TOO_MANY_REQUESTS'],
      description:
        'With recipes, schedules and the ids of datasets and webhooks. Values of `page.headers` ' +
        'that may be secret are `null`.',
      example: example('export'),
      handler: async ({ principal }) => downloadOf(await files.export(principal)),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/tasks/import',
      operation: 'tasks.import',
      summary: 'Creates and changes tasks from a file',
      scope: 'tasks:write',
      limit: 'tasks',
      query: importQuerySchema,
      body: taskFileSchema,
      data: answer((all) => all.taskImportSchema),
      description:
        'Takes the file of an export. Each task is created, updated or refused as a whole; a ' +
        'second import changes nothing. Schedules also need `executions:write`, and webhooks ' +
        "`webhooks:write`. Beyond the plan's `caps.tasks`: 409, and none is written.",
      example: example('import'),
      handler: ({ principal, query, body, preconditions }) =>
        files.import(
          principal,
          body,
          { by: query.by ?? 'name', dryRun: query.dryRun === 'true' },
          preconditions,
        ),
    }),
  ]
}
