import * as v from 'valibot'
import { documented } from '../../kernel/schema.ts'
import { timeSchema } from '../common/list-schema.ts'
import { anyObject, toolName } from './schema.ts'

/** A call of a tool on the wire. */
export const agenticExecutionSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    tool: toolName,
    arguments: anyObject('The arguments of the tool.'),
    result: anyObject(
      "The tool's result, as described by its `outputSchema`. For a run: its current state.",
    ),
    text: v.pipe(
      v.nullable(v.string()),
      v.description('The result as Markdown, for models and people; `null`: read `result`.'),
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

/** That a tool was called, on the wire. */
export const agenticCallSchema = v.pipe(
  v.strictObject({
    id: v.string(),
    at: timeSchema,
    tool: toolName,
    user: v.string(),
    keyId: v.pipe(
      v.nullable(v.string()),
      v.description('The API key that was used; `null`: another credential.'),
    ),
    executionId: v.pipe(v.nullable(v.string()), v.description('The run that it started or read.')),
    code: v.pipe(
      v.nullable(v.string()),
      v.description('Code of the refusal; `null`: the call was answered.'),
    ),
    credits: v.pipe(
      v.number(),
      v.integer(),
      v.description('Credits of the fetched page. The cost of a run is in its execution.'),
    ),
  }),
  documented({ component: 'AgenticCall' }),
)

/** That a tool was called, on the wire. */
export type AgenticCall = v.InferOutput<typeof agenticCallSchema>

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
