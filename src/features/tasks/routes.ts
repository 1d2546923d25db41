import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { idParamsSchema, countedPageSchema } from '../common/list-schema.ts'
import { repairInputSchema, taskInputSchema, taskPatchSchema, taskQuerySchema } from './schema.ts'
import type { TaskReader } from './task.ts'
import type { Tasks } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).TASK_EXAMPLES)

/** The routes of tasks. `read` returns answers that calls share. */
export function taskRoutes(tasks: Tasks, read: TaskReader): AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/tasks',
      operation: 'tasks.create',
      summary: 'Creates a task',
      scope: 'tasks:write',
      limit: 'tasks',
      body: taskInputSchema,
      data: answer((all) => all.taskSchema),
      status: 201,
      tagged: true,
      errors: ['NOT_FOUND'],
      description:
        'The whole recipe is checked, and every error is reported. Nothing is visited until an ' +
        'execution starts. A `schedule` starts executions, so it also needs ' +
        "`executions:write`. The plan's `caps.tasks` bounds the tasks of an account: 409 " +
        'beyond it.',
      example: example('create'),
      handler: ({ principal, body, preconditions }) => tasks.create(principal, body, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/tasks',
      operation: 'tasks.list',
      large: true,
      summary: 'Lists tasks, newest first',
      scope: 'tasks:read',
      limit: 'tasks',
      query: taskQuerySchema,
      data: answer((all) => countedPageSchema(all.listedTaskSchema)),
      example: example('list'),
      handler: ({ principal, query }) => tasks.list(principal, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/tasks/:id',
      operation: 'tasks.get',
      summary: 'Reads a task',
      scope: 'tasks:read',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.taskSchema),
      example: example('get'),
      handler: ({ principal, params }) => read(principal.account, params.id),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/v1/tasks/:id',
      operation: 'tasks.update',
      summary: 'Changes a task',
      scope: 'tasks:write',
      limit: 'tasks',
      params: idParamsSchema,
      body: taskPatchSchema,
      data: answer((all) => all.taskSchema),
      tagged: true,
      ifMatch: true,
      description:
        'If the task has a schedule, a change of `schedule` or `recipe`, or of `status` to ' +
        '`active`, also needs `executions:write`. The schedule then runs for the caller. ' +
        'Removing the schedule does not need it.',
      example: example('update'),
      handler: ({ principal, params, body, preconditions }) =>
        tasks.update(principal, params.id, body, preconditions),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/tasks/:id/drift/repair',
      operation: 'tasks.repair',
      summary: 'Applies the proposals of an execution for columns that have drifted',
      scope: 'tasks:write',
      limit: 'tasks',
      params: idParamsSchema,
      body: repairInputSchema,
      data: answer((all) => all.taskSchema),
      tagged: true,
      description:
        'Puts the sources of `relocation` of the execution into the recipe of the task. 409 if it ' +
        'proposes none, and if the recipe has changed since. A repetition changes nothing. If the ' +
        'task has a schedule, this also needs `executions:write`.',
      example: example('repair'),
      handler: ({ principal, params, body, preconditions }) =>
        tasks.repair(principal, params.id, body, preconditions),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/tasks/:id',
      operation: 'tasks.delete',
      summary: 'Deletes a task; executions and results stay',
      scope: 'tasks:write',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.taskDeletedSchema),
      ifMatch: true,
      description: '409 while an execution of the task is unfinished.',
      example: example('delete'),
      handler: ({ principal, params, preconditions }) =>
        tasks.delete(principal, params.id, preconditions),
    }),
  ]
}
