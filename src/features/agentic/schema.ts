import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import { timeSchema } from '../common/list-schema.ts'

const anyObject = (description: string) =>
  v.pipe(
    v.custom<{ readonly [name: string]: Json }>(isObject, 'must be an object'),
    documented({ json: { type: 'object', description } }),
  )
const toolName = v.pipe(
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
          'Whether the call can be read again for a day; default true. A call that is not kept ' +
            'costs less, and its `expiresAt` is the time of the call.',
        ),
      ),
    ),
  }),
  documented({ component: 'AgenticInput' }),
)

/** A call of a tool on the wire. */
export const agenticExecutionSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    tool: toolName,
    arguments: anyObject('The arguments of the tool.'),
    result: anyObject(
      "The tool's result, as described by its `outputSchema`. For a run: its current state.",
    ),
    executionId: v.pipe(
      v.nullable(v.string()),
      v.description('The execution that it started or read.'),
    ),
    createdAt: timeSchema,
    expiresAt: v.pipe(timeSchema, v.description('When the call is deleted. The execution stays.')),
  }),
  documented({ component: 'AgenticExecution' }),
)

/** A tool on the wire. */
export const toolSchema = v.pipe(
  v.strictObject({
    name: toolName,
    title: v.string(),
    description: v.string(),
    inputSchema: anyObject('JSON Schema (draft 2020-12) of `arguments`.'),
    outputSchema: anyObject('JSON Schema (draft 2020-12) of `result`.'),
    annotations: v.strictObject({
      readOnlyHint: v.boolean(),
      destructiveHint: v.boolean(),
      idempotentHint: v.boolean(),
      openWorldHint: v.boolean(),
    }),
  }),
  documented({ component: 'AgentTool' }),
)
