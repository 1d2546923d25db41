import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { EXPORT_ANSWER, downloadOf } from '../common/downloads.ts'
import { idParamsSchema, countedPageSchema } from '../common/list-schema.ts'
import {
  changesQuerySchema,
  datasetExportQuerySchema,
  datasetInputSchema,
  datasetPatchSchema,
  datasetQuerySchema,
  itemsQuerySchema,
} from './schema.ts'
import type { Datasets } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const example = examplesFrom(async () => (await import('./examples.ts')).DATASET_EXAMPLES)

/** The routes of datasets. */
export function datasetRoutes(datasets: Datasets): AnyRoute[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/datasets',
      operation: 'datasets.create',
      summary: 'Creates a dataset',
      scope: 'datasets:write',
      limit: 'tasks',
      body: datasetInputSchema,
      data: answer((all) => all.datasetSchema),
      status: 201,
      tagged: true,
      description:
        'Tasks with its id as `datasetId` merge their rows into it when an execution ends.',
      example: example('create'),
      handler: ({ principal, body, preconditions }) =>
        datasets.create(principal, body, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/datasets',
      operation: 'datasets.list',
      summary: 'Lists datasets, newest first',
      scope: 'datasets:read',
      limit: 'tasks',
      query: datasetQuerySchema,
      data: answer((all) => countedPageSchema(all.datasetSchema)),
      example: example('list'),
      handler: ({ principal, query }) => datasets.list(principal, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/datasets/:id',
      operation: 'datasets.get',
      summary: 'Reads a dataset',
      scope: 'datasets:read',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.datasetSchema),
      example: example('get'),
      handler: ({ principal, params }) => datasets.get(principal, params.id),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/v1/datasets/:id',
      operation: 'datasets.update',
      summary: 'Changes a dataset',
      scope: 'datasets:write',
      limit: 'tasks',
      params: idParamsSchema,
      body: datasetPatchSchema,
      data: answer((all) => all.datasetSchema),
      tagged: true,
      ifMatch: true,
      example: example('update'),
      handler: ({ principal, params, body, preconditions }) =>
        datasets.update(principal, params.id, body, preconditions),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/datasets/:id',
      operation: 'datasets.delete',
      summary: 'Deletes a dataset with its items and changes',
      scope: 'datasets:write',
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.datasetDeletedSchema),
      ifMatch: true,
      description: '409 while a task names the dataset. Executions keep their rows.',
      example: example('delete'),
      handler: ({ principal, params, preconditions }) =>
        datasets.delete(principal, params.id, preconditions),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/datasets/:id/items',
      operation: 'datasets.items',
      large: true,
      summary: 'Lists the items of a dataset',
      scope: 'datasets:read',
      limit: 'tasks',
      params: idParamsSchema,
      query: itemsQuerySchema,
      data: answer((all) => all.itemsSchema),
      description: 'Ordered by id; with `state=gone` by the time when they were marked as gone.',
      example: example('items'),
      handler: (call) =>
        datasets.items(call.principal, call.params.id, call.query, () => call.base),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/datasets/:id/changes',
      operation: 'datasets.changes',
      large: true,
      summary: 'Reads the feed of changes',
      scope: 'datasets:read',
      limit: 'tasks',
      params: idParamsSchema,
      query: changesQuerySchema,
      data: answer((all) => all.changesSchema),
      description:
        'A feed has no end: `nextCursor` is always present, and a later call with it returns the ' +
        'changes since then. Each change is returned once. `sort=-at` reads it backwards, for people.',
      example: example('changes'),
      handler: ({ principal, params, query }) => datasets.changes(principal, params.id, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/datasets/:id/export',
      operation: 'datasets.export',
      summary: 'Exports the items of a dataset as a file',
      scope: 'datasets:read',
      limit: 'tasks',
      params: idParamsSchema,
      query: datasetExportQuerySchema,
      description:
        'The file is streamed, so its size is not limited. `fields` may also name ' +
        '`_firstSeenAt`, `_lastSeenAt` and `_state`.',
      raw: EXPORT_ANSWER,
      errors: ['TOO_MANY_REQUESTS', 'UNPROCESSABLE_CONTENT'],
      example: example('export'),
      handler: async (call) =>
        downloadOf(
          await datasets.export(call.principal, call.params.id, call.query, () => call.base),
        ),
    }),
  ]
}
