import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { demandScope } from '../../kernel/preconditions.ts'
import { idParamsSchema } from '../common/list-schema.ts'
import { explainQuerySchema, previewInputSchema, taskPreviewInputSchema } from './schema.ts'
import type { Previews } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

/**
 * The common part of all preview routes. A preview sends requests to URLs of its caller's choice,
 * so a scope for reading is not enough. The `extract` scope of agents is enough, so that an agent
 * needs no scope to save tasks.
 */
const PREVIEW = {
  method: 'POST',
  scope: 'tasks:write',
  limit: 'tasks',
  repeatable: true,
  data: answer((all) => all.previewSchema),
  errors: ['NOT_FOUND', 'UNPROCESSABLE_CONTENT', 'TOO_MANY_REQUESTS'],
} as const
const DESCRIPTION = [
  'Visits the first pages, one after another, for at most 20 seconds, and reports what ' +
    'each part of the recipe found. It is free and stores no results; its pages count in analytics.',
  'The response is 200 even if a page cannot be fetched; `pages` has its outcome and the reason.',
  'Beyond the daily quota (UTC, separate from the rate limit) the response is 429 with ' +
    '`error: "preview_limit_exceeded"`; invalid requests do not count. `Idempotency-Key` ' +
    'has no effect here.',
].join(' ')

const example = examplesFrom(async () => (await import('./examples.ts')).PREVIEW_EXAMPLES)

/** The routes of previews. */
export function previewRoutes(previews: Previews): AnyRoute[] {
  return [
    defineRoute({
      ...PREVIEW,
      path: '/api/v1/tasks/preview',
      operation: 'previews.recipe',
      summary: 'Previews a recipe',
      otherScopes: ['mcp:extract'],
      body: previewInputSchema,
      description: `${DESCRIPTION} With \`mcp:extract\` alone, robots.txt must be obeyed.`,
      example: example('recipe'),
      handler({ principal, body, request }) {
        if (body.recipe.recipe.crawl?.robots === false) demandScope(principal, ['tasks:write'])
        return previews.run(principal, { ...body, scope: 'recipe', signal: request.signal })
      },
    }),
    defineRoute({
      ...PREVIEW,
      path: '/api/v1/tasks/:id/preview',
      operation: 'previews.task',
      summary: 'Previews a task, with optional changes',
      params: idParamsSchema,
      body: taskPreviewInputSchema,
      description: `${DESCRIPTION} Without a body the task is previewed as it is.`,
      example: example('task'),
      handler: ({ principal, params, body, request }) =>
        previews.runTask(principal, params.id, { ...body, signal: request.signal }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/executions/:id/pages/explanation',
      operation: 'executions.explain',
      summary: 'Explains what the recipe of an execution found on one of its pages',
      scope: 'executions:read',
      limit: 'tasks',
      params: idParamsSchema,
      query: explainQuerySchema,
      data: answer((all) => all.previewSchema),
      errors: ['NOT_FOUND', 'CONFLICT', 'UNPROCESSABLE_CONTENT', 'TOO_MANY_REQUESTS'],
      description:
        'The page is read again from those that the execution has kept (`page.keep` of its ' +
        'recipe): nothing is visited or charged, and no model is asked. The answer has the ' +
        'form of a preview of this page: for each source of each field, its matches before and ' +
        'after conversion, and why it found nothing. Answers 409 for an execution that has kept no pages.',
      example: example('explain'),
      handler: ({ principal, params, query, request }) =>
        previews.explain(principal, params.id, query.url, { signal: request.signal }),
    }),
  ]
}
