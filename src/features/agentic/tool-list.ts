import { toJsonSchema } from '@valibot/to-json-schema'
import type { Json } from '../../kernel/json.ts'
import { TOOLS } from './tool-schema.ts'
import type { ToolHints } from './tool-schema.ts'

/** A tool in the form that agents see. */
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: { readonly [keyword: string]: Json }
  readonly outputSchema: { readonly [keyword: string]: Json }
  readonly annotations: ToolHints
}

/**
 * All tools, with their schemas as JSON Schema (draft 2020-12, the dialect of the Model Context
 * Protocol).
 */
export const LISTED_TOOLS: readonly ListedTool[] = Object.entries(TOOLS).map(
  ([name, { title, description, annotations, input, output }]) => ({
    name,
    title,
    description,
    annotations,
    inputSchema: asJson(
      toJsonSchema(input, { target: 'draft-2020-12', typeMode: 'input', errorMode: 'ignore' }),
    ),
    outputSchema: asJson(
      toJsonSchema(output, { target: 'draft-2020-12', typeMode: 'output', errorMode: 'ignore' }),
    ),
  }),
)

/** Converts to plain JSON, without members that the converter leaves undefined. */
function asJson(schema: object): { readonly [keyword: string]: Json } {
  return JSON.parse(JSON.stringify(schema))
}
