import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { isObject } from '../../kernel/json.ts'

/** The extension by which hosts show a page beside the result of a tool (MCP Apps, SEP-1865). */
export const APPS = 'io.modelcontextprotocol/ui'
const APP_TYPE = 'text/html;profile=mcp-app'
/** The page that shows rows and their run. */
export const APP_URI = 'ui://seine/rows'

/** Tools whose results it shows. */
const SHOWN: ReadonlySet<string> = new Set([
  'crawl',
  'run_template',
  'get_run',
  'extract',
  'preview',
  'query_dataset',
])

/** True if a client says among its capabilities that it shows such pages. */
export function knowsApps(capabilities: unknown): boolean {
  const extensions = isObject(capabilities) ? capabilities['extensions'] : null
  const settings = isObject(extensions) ? extensions[APPS] : null
  const types = isObject(settings) ? settings['mimeTypes'] : null
  return Array.isArray(types) && types.includes(APP_TYPE)
}

/** Tools, with the page that shows their results. Models do not see this. */
export function withApp(tools: readonly Tool[]): Tool[] {
  const ui = { resourceUri: APP_URI }
  return tools.map((tool) => (SHOWN.has(tool.name) ? { ...tool, _meta: { ui } } : tool))
}

/** The content of the page. Only this function loads it. */
export async function readApp(): Promise<{
  uri: string
  mimeType: string
  text: string
  _meta: { ui: { prefersBorder: boolean } }
}> {
  const { app } = await import('#mcp-app')
  const packed = Uint8Array.from(atob(app.gzip), (character) => character.charCodeAt(0))
  const page = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))
  return {
    uri: APP_URI,
    mimeType: APP_TYPE,
    text: await new Response(page).text(),
    // Without `csp`, the host lets the page reach no address.
    _meta: { ui: { prefersBorder: true } },
  }
}
