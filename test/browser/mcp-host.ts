import { Ajv2020 } from 'ajv/dist/2020.js'
import schema from '@modelcontextprotocol/ext-apps/schema.json' with { type: 'json' }
import type { Frame, Page } from 'playwright-core'
import type { World } from '../support/worlds/world.ts'
import { keyOf, post } from '../mcp/mcp-world.ts'

type Data = { readonly [name: string]: unknown }

const ajv = new Ajv2020({ strict: false, allErrors: true }).addSchema(schema, 'apps')
/** The extension's schema of each message that a view sends. */
const SCHEMAS: Readonly<Record<string, string>> = {
  'ui/initialize': 'McpUiInitializeRequest',
  'ui/notifications/initialized': 'McpUiInitializedNotification',
  'ui/notifications/size-changed': 'McpUiSizeChangedNotification',
  'ui/open-link': 'McpUiOpenLinkRequest',
}

/** The smallest host of MCP Apps: a page that shows a view, and answers it. */
export interface McpHost {
  /** The view's own document. */
  readonly frame: Frame
  /** All messages that the view has sent. */
  readonly messages: readonly Data[]
  /** Messages that the extension's schemas refuse, each with the reason. */
  readonly refused: readonly string[]
  readonly opened: readonly string[]
  /** Calls a tool as the model would, and gives its result to the view. */
  show(tool: string, args: Data): Promise<Data>
  /** Sends a notification to the view. */
  notify(method: string, params: Data): Promise<void>
}

/** Shows the page that a tool names, in a sandbox as hosts have it: scripts, and no origin. */
export async function openMcpHost(
  page: Page,
  world: World,
  {
    context = {},
    opensLinks = true,
  }: { readonly context?: Data; readonly opensLinks?: boolean } = {},
): Promise<McpHost> {
  const key = await keyOf(world, ['*'])
  const headers = { 'x-api-key': key, 'mcp-protocol-version': '2025-11-25' }
  let last = 0
  /** Forwards a request of the view, or of the model, to the server. */
  const forward = async (method: string, params: Data): Promise<Data> => {
    const request = post({ jsonrpc: '2.0', id: (last += 1), method, params }, headers)
    const { result, error } = await (
      await world.clock.runUntil(world.platform.fetch(request))
    ).json()
    return error === undefined ? { result } : { error }
  }
  const messages: Data[] = []
  const refused: string[] = []
  const opened: string[] = []
  const { promise: isReady, resolve: ready } = Promise.withResolvers<void>()
  await page.exposeFunction('hear', async (message: Data): Promise<Data | null> => {
    messages.push(message)
    const { method = '', params = {} } = message as { method?: string; params?: Data }
    const name = SCHEMAS[method]
    const { jsonrpc: _, id: __, ...bare } = message
    if (name !== undefined && !ajv.validate(`apps#/$defs/${name}`, bare))
      refused.push(`${method}: ${ajv.errorsText()}`)
    if (method === 'ui/notifications/initialized') ready()
    if (method === 'ui/open-link') opened.push(String(params['url']))
    if (method === 'tools/call') return forward(method, params)
    if (method !== 'ui/initialize') return { result: {} }
    return {
      result: {
        protocolVersion: '2026-01-26',
        hostInfo: { name: 'test', version: '1' },
        hostCapabilities: { serverTools: {}, ...(opensLinks && { openLinks: {} }) },
        hostContext: context,
      },
    }
  })
  const { result: tools } = await forward('tools/list', {})
  const [uri] = (tools as { tools: { _meta?: { ui?: { resourceUri: string } } }[] }).tools.flatMap(
    ({ _meta }) => _meta?.ui?.resourceUri ?? [],
  )
  const read = await forward('resources/read', { uri })
  const [{ text: html = '' } = {}] = (read['result'] as { contents: { text?: string }[] }).contents
  await page.setContent(
    '<body style="margin:0"><iframe sandbox="allow-scripts" ' +
      'style="width:100%;height:200px;border:0"></iframe>',
  )
  await page.evaluate((content) => {
    const view = document.querySelector('iframe')
    if (!view) return
    addEventListener('message', ({ source, data }) => {
      if (source !== view.contentWindow) return
      if (data.method === 'ui/notifications/size-changed')
        view.style.height = `${String(data.params.height)}px`
      void (Reflect.get(window, 'hear') as (message: unknown) => Promise<object | null>)(data).then(
        (answer) => {
          if (data.id !== undefined)
            view.contentWindow?.postMessage({ jsonrpc: '2.0', id: data.id, ...answer }, '*')
        },
      )
    })
    view.srcdoc = content
  }, html)
  await isReady
  const frame = page.frames()[1]
  if (!frame) throw new Error('There is no frame')
  const notify = async (method: string, params: Data): Promise<void> =>
    page.evaluate(
      (message) => document.querySelector('iframe')?.contentWindow?.postMessage(message, '*'),
      { jsonrpc: '2.0', method, params },
    )
  return {
    frame,
    messages,
    refused,
    opened,
    notify,
    async show(tool, args) {
      await notify('ui/notifications/tool-input', { arguments: args })
      const { result } = await forward('tools/call', { name: tool, arguments: args })
      await notify('ui/notifications/tool-result', result as Data)
      return result as Data
    },
  }
}
