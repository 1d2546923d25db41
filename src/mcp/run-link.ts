import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { isObject } from '../kernel/json.ts'
import { rowsUri } from './context/resources.ts'

type Data = { readonly [name: string]: unknown }

/** The run in the result of a tool; `null`: it has no run. */
export function runIn({ structuredContent }: CallToolResult): Data | null {
  if (!isObject(structuredContent)) return null
  const run = 'run' in structuredContent ? structuredContent['run'] : structuredContent
  return isObject(run) && typeof run['runId'] === 'string' ? run : null
}

/**
 * The result of a tool with a link to the file of all rows, if it shows rows of a run that has
 * ended: before, the file is not whole. The link is a resource, which a client reads with the
 * credential that it has; `exportUrl` is for programs that send one themselves.
 */
export function withRunLink(result: CallToolResult): CallToolResult {
  const run = runIn(result)
  if (run?.['done'] !== true) return result
  const { runId, rows, rowsFound } = run
  if (!Array.isArray(rows) || rows.length === 0) return result
  return {
    ...result,
    content: [
      ...result.content,
      {
        type: 'resource_link',
        uri: rowsUri(String(runId)),
        name: 'rows.csv',
        title: `All rows as CSV: ${String(rowsFound)}`,
        mimeType: 'text/csv',
      },
    ],
  }
}
