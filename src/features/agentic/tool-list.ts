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
export const LISTED_TOOLS: readonly ListedTool[] = Object.entries(TOOLS).map(([name, tool]) =>
  listed(name, tool),
)

/** A tool with its schemas as JSON Schema. */
export function listed(
  name: string,
  {
    title,
    description,
    annotations,
    input,
    output,
  }: Pick<ListedTool, 'title' | 'description' | 'annotations'> & {
    readonly input: Parameters<typeof toJsonSchema>[0]
    readonly output: Parameters<typeof toJsonSchema>[0]
  },
): ListedTool {
  const options = { target: 'draft-2020-12', errorMode: 'ignore' } as const
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: asJson(toJsonSchema(input, { ...options, typeMode: 'input' })),
    outputSchema: asJson(toJsonSchema(output, { ...options, typeMode: 'output' })),
  }
}

/**
 * Converts to plain JSON, without members that the converter leaves undefined. The name of the
 * dialect is left out too: the protocol defines it, and a model would have to read it with each
 * tool.
 */
function asJson(schema: object): { readonly [keyword: string]: Json } {
  return JSON.parse(JSON.stringify({ ...schema, $schema: undefined }))
}
