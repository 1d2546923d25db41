import * as v from 'valibot'
import { createdEntries } from '../common/list-schema.ts'
import { documented } from '../../kernel/schema.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'

export const anyObject = (description: string) =>
  v.pipe(
    v.custom<{ readonly [name: string]: Json }>(isObject, 'must be an object'),
    documented({ json: { type: 'object', description } }),
  )

export const toolName = v.pipe(
  v.picklist(['search', 'fetch', 'crawl', 'search_templates', 'run_template', 'get_run']),
  v.description('`GET /api/v1/mcp/tools` describes each.'),
)

/** Body of a call of a tool. */
export const agenticInputSchema = v.pipe(
  v.strictObject({
    tool: toolName,
    arguments: v.exactOptional(
      anyObject("The tool's arguments, as described by its `inputSchema`."),
    ),
    waitSeconds: v.exactOptional(
      v.pipe(
        v.number(),
        v.minValue(0),
        v.maxValue(50),
        v.description(
          'The longest time that the response may wait for a run, in seconds. It limits the ' +
            '`waitSeconds` of the arguments.',
        ),
      ),
    ),
    keep: v.exactOptional(
      v.pipe(
        v.boolean(),
        v.description(
          'Whether the call can be read again until its `expiresAt`; default true. A call that is ' +
            'not kept costs less, and its `expiresAt` is the time of the call.',
        ),
      ),
    ),
  }),
  documented({ component: 'AgenticInput' }),
)

/** Query of the list of calls. */
export const agenticQuerySchema = v.strictObject({
  tool: v.exactOptional(toolName),
  ...createdEntries,
})
