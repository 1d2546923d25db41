import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'

import { idParamsSchema, pageSchema } from '../common/list-schema.ts'

import {
  templatePreviewSchema,
  templateQuerySchema,
  templateRunSchema,
  templateTaskSchema,
} from './schema.ts'
import type { Templates } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))
const executionAnswer = answersFrom(() => import('../executions/answers.ts'))
const previewAnswer = answersFrom(() => import('../previews/answers.ts'))
const taskAnswer = answersFrom(() => import('../tasks/answers.ts'))

/**
 * Cache time of the catalog. The catalog changes only with a deployment, so a cached one is rarely
 * out of date.
 */
const PUBLIC_FOR_SECONDS = 300

const example = examplesFrom(async () => (await import('./examples.ts')).TEMPLATE_EXAMPLES)

/** The routes of templates. */
export function templateRoutes(templates: Templates): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/templates',
      operation: 'templates.list',
      summary: 'Lists the catalog of templates, or searches it',
      scope: null,
      limit: 'tasks',
      query: templateQuerySchema,
      data: answer((all) => pageSchema(all.templateSummarySchema)),
      publicForSeconds: PUBLIC_FOR_SECONDS,
      description: 'Without `q` the order is that of the catalog.',
      example: example('list'),
      handler: ({ query }) => templates.list(query),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/templates/categories',
      operation: 'templates.categories',
      summary: 'Lists the categories of the catalog',
      scope: null,
      limit: 'tasks',
      data: answer((all) => pageSchema(all.categorySchema)),
      publicForSeconds: PUBLIC_FOR_SECONDS,
      example: example('categories'),
      handler: () => templates.categories(),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/templates/:id',
      operation: 'templates.get',
      summary: 'Reads a template with its parameters, columns and sample rows',
      scope: null,
      limit: 'tasks',
      params: idParamsSchema,
      data: answer((all) => all.templateSchema),
      publicForSeconds: PUBLIC_FOR_SECONDS,
      example: example('get'),
      handler: ({ params }) => templates.get(params.id),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/templates/:id/executions',
      operation: 'templates.run',
      summary: 'Runs a template',
      scope: 'templates:run',
      limit: 'tasks',
      params: idParamsSchema,
      body: templateRunSchema,
      data: executionAnswer((all) => all.executionSchema),
      status: 201,
      tagged: true,
      errors: ['PAYMENT_REQUIRED', 'TOO_MANY_REQUESTS'],
      description:
        'The execution does not belong to a task. Reading it and its rows needs `executions:read`.',
      example: example('run'),
      handler: ({ principal, params, body, preconditions }) =>
        templates.run(principal, params.id, body, preconditions),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/templates/:id/preview',
      operation: 'templates.preview',
      summary: 'Tries a template',
      scope: 'templates:run',
      limit: 'tasks',
      params: idParamsSchema,
      body: templatePreviewSchema,
      data: previewAnswer((all) => all.previewSchema),
      repeatable: true,
      errors: ['TOO_MANY_REQUESTS'],
      description:
        'Visits the first pages for a short time, and reports what each part of the recipe ' +
        'found. It is free and stores no results. Beyond the daily quota (UTC), in all or for ' +
        'this template, the response is 429 with `error: "preview_limit_exceeded"`; invalid ' +
        'requests do not count.',
      example: example('preview'),
      handler: ({ principal, params, body, request }) =>
        templates.preview(principal, params.id, { ...body, signal: request.signal }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/templates/:id/tasks',
      operation: 'templates.save',
      summary: 'Saves a filled template as a task',
      scope: 'tasks:write',
      limit: 'tasks',
      params: idParamsSchema,
      body: templateTaskSchema,
      data: taskAnswer((all) => all.taskSchema),
      status: 201,
      tagged: true,
      description:
        'The task gets a copy of the recipe, so a later version of the template does not change it. Nothing is run.',
      example: example('save'),
      handler: ({ principal, params, body, preconditions }) =>
        templates.save(principal, params.id, body, preconditions),
    }),
  ]
}
