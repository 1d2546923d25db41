import { isObject } from '../../../kernel/json.ts'

/** The version of MCP Apps (SEP-1865) that this implements. */
const VERSION = '2026-01-26'
/** The JSON-RPC code for a method that does not exist. */
const NO_METHOD = -32_601

type Data = { readonly [name: string]: unknown }

/** The answer of a tool. */
export interface ToolAnswer {
  readonly structuredContent: unknown
  /** Its text, for hosts that do not pass on structured content. */
  readonly text: string
  readonly isError: boolean
}

/** Events that the host sends to the view. */
export interface HostEvents {
  /** The arguments of the call whose result the view shows. */
  readonly onInput: (args: Data) => void
  readonly onResult: (answer: ToolAnswer) => void
  readonly onCancelled: () => void
  /** Theme, styles and sizes. Later messages contain only changes. */
  readonly onContext: (context: Data) => void
  /** Called before the view is removed. */
  readonly onEnd: () => void
}

/** The host of the view, such as a chat. */
export interface Host {
  /** True if the host calls tools for the view. */
  readonly callsTools: boolean
  /** True if the host opens addresses for the reader. */
  readonly opensLinks: boolean
  call(tool: string, args: Data): Promise<ToolAnswer>
  open(url: string): Promise<void>
  resized(width: number, height: number): void
}

/** The part of a window that both sides need. */
export interface Frame {
  /** Sends a message to the host. */
  readonly post: (message: Data) => void
  /** Calls back with each message of the host. */
  readonly listen: (take: (message: unknown) => void) => void
}

/**
 * The frame around this page. The host is the window that made it. Its origin is not known in
 * advance, and messages of other windows are ignored.
 */
export function parentFrame(): Frame {
  return {
    post: (message) => parent.postMessage(message, '*'),
    listen: (take) =>
      addEventListener('message', ({ source, data }) => {
        if (source === parent) take(data)
      }),
  }
}

/** Introduces the view to its host. Messages of the host before that are not lost. */
export async function connectHost({ post, listen }: Frame, events: HostEvents): Promise<Host> {
  let last = 0
  const waiting = new Map<unknown, { resolve(result: Data): void; reject(error: Error): void }>()
  const notify = (method: string, params: Data = {}): void =>
    post({ jsonrpc: '2.0', method, params })
  const ask = (method: string, params: Data): Promise<Data> => {
    const { promise, resolve, reject } = Promise.withResolvers<Data>()
    waiting.set((last += 1), { resolve, reject })
    post({ jsonrpc: '2.0', id: last, method, params })
    return promise
  }

  listen((message) => {
    if (!isObject(message) || message['jsonrpc'] !== '2.0') return
    const { id, method, params, result, error } = message
    if (typeof method === 'string') {
      if (id === undefined) handle(method, isObject(params) ? params : {}, events)
      else post({ jsonrpc: '2.0', id, ...answerTo(method, events) })
      return
    }
    const request = waiting.get(id)
    waiting.delete(id)
    if (isObject(result)) request?.resolve(result)
    else request?.reject(new Error(isObject(error) ? String(error['message']) : 'No result'))
  })

  const { hostCapabilities, hostContext } = await ask('ui/initialize', {
    appInfo: { name: 'seine', title: 'Seine', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion: VERSION,
  })
  const can = isObject(hostCapabilities) ? hostCapabilities : {}
  if (isObject(hostContext)) events.onContext(hostContext)
  // The host may send the call and its result only after this.
  notify('ui/notifications/initialized')
  return {
    callsTools: isObject(can['serverTools']),
    opensLinks: isObject(can['openLinks']),
    call: async (tool, args) => answerIn(await ask('tools/call', { name: tool, arguments: args })),
    async open(url) {
      await ask('ui/open-link', { url })
    },
    resized: (width, height) => notify('ui/notifications/size-changed', { width, height }),
  }
}

function handle(method: string, params: Data, events: HostEvents): void {
  if (method === 'ui/notifications/tool-input') {
    const { arguments: args } = params
    events.onInput(isObject(args) ? args : {})
  } else if (method === 'ui/notifications/tool-result') events.onResult(answerIn(params))
  else if (method === 'ui/notifications/tool-cancelled') events.onCancelled()
  else if (method === 'ui/notifications/host-context-changed') events.onContext(params)
}

/** The answer to a request of the host. */
function answerTo(method: string, { onEnd }: HostEvents): Data {
  if (method === 'ping') return { result: {} }
  if (method !== 'ui/resource-teardown')
    return { error: { code: NO_METHOD, message: `This view has no method ${method}` } }
  onEnd()
  return { result: {} }
}

function answerIn({ structuredContent, content, isError }: Data): ToolAnswer {
  const texts = (Array.isArray(content) ? content : []).flatMap((part: unknown) =>
    isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  )
  return { structuredContent, text: texts.join('\n'), isError: isError === true }
}
