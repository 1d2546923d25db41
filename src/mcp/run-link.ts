import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { isObject } from '../kernel/json.ts'
import { rowsUri } from './context/resources.ts'

type Data = { readonly [name: string]: unknown }

/** The run in the result of a tool. `null`: there is no run. */
export function runIn({ structuredContent }: CallToolResult): Data | null {
  if (!isObject(structuredContent)) return null
  const run = 'run' in structuredContent ? structuredContent['run'] : structuredContent
  return isObject(run) && typeof run['runId'] === 'string' ? run : null
}

/**
 * The result of a tool. If it shows rows of a run that has ended, a link to the file of all rows is
 * added; the file of an unfinished run is not complete. The link is a resource, which a client
 * reads with its own credential. `exportUrl` is for programs that send a credential themselves.
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
