import { defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { idParamsSchema } from '../common/list-schema.ts'
import { previewInputSchema, previewSchema, taskPreviewInputSchema } from './schema.ts'
import type { Previews } from './service.ts'

/**
 * The common part of all preview routes. A preview sends requests to URLs that its caller chooses,
 * so a scope for reading must not allow it.
 */
const PREVIEW = {
  method: 'POST',
  scope: 'tasks:write',
  limit: 'tasks',
  repeatable: true,
  data: previewSchema,
  errors: ['TOO_MANY_REQUESTS'],
} as const
const DESCRIPTION = [
  'Visits the first pages, one after another, for 20 seconds at most, and tells what each part of the recipe found there. It costs nothing and leaves nothing behind.',
  'A page that cannot be fetched is no error: the answer is 200, with its outcome and the reason among `pages`.',
  'Beyond the quota of the day (UTC), which is apart from the rate limit, the answer is 429 with `error: "preview_limit_exceeded"`; a preview that was refused as invalid does not count. `Idempotency-Key` has no meaning here.',
].join(' ')

const example = examplesFrom(async () => (await import('./examples.ts')).PREVIEW_EXAMPLES)

/** The routes of previews. */
export function previewRoutes(previews: Previews): AnyRoute[] {
  return [
    defineRoute({
      ...PREVIEW,
      path: '/api/v1/tasks/preview',
      operation: 'previews.recipe',
      summary: 'Tries a recipe that is not saved',
      body: previewInputSchema,
      description: DESCRIPTION,
      example: example('recipe'),
      handler: ({ principal, body, request }) =>
        previews.run(principal, { ...body, scope: 'recipe', signal: request.signal }),
    }),
    defineRoute({
      ...PREVIEW,
      path: '/api/v1/tasks/:id/preview',
      operation: 'previews.task',
      summary: 'Tries a task, with changes that are not saved',
      params: idParamsSchema,
      body: taskPreviewInputSchema,
      description: `${DESCRIPTION} Without a body the task is tried as it is.`,
      example: example('task'),
      handler: ({ principal, params, body, request }) =>
        previews.runTask(principal, params.id, { ...body, signal: request.signal }),
    }),
  ]
}
