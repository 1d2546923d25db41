import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  MissingRequiredClientCapabilityError,
  Server,
} from '@modelcontextprotocol/server'
import type {
  CallToolResult,
  InputRequiredResult,
  ListToolsResult,
} from '@modelcontextprotocol/server'
import type { Incoming } from '../kernel/http/message.ts'
import type { PriceTable } from '../kernel/price.ts'
import type { Clock } from '../ports/clock.ts'
import { isObject } from '../kernel/json.ts'
import { readerOf } from './answer.ts'
import type { Answered } from './answer.ts'
import { CallStop } from './in-flight.ts'
import type { InFlight } from './in-flight.ts'
import { APPS, knowsApps } from './context/mcp-app.ts'
import { getPrompt, listPrompts } from './context/prompts.ts'
import { listResources, listResourceTemplates, readResource } from './context/resources.ts'
import type { ReadService } from './context/resources.ts'
import { CACHED, CACHED_BRIEFLY, INFO, INSTRUCTIONS, NO_VALIDATOR } from './server-facts.ts'
import { spendingOf } from './spending.ts'
import { failed } from './tool-error.ts'
import { isError, ToolCalls } from './tool-calls.ts'
import { MODERN_VERSION } from './read-message.ts'
import { listenToTasks, presentTasks, undeclared, wantedTasks } from './task-stream.ts'
import { CAPABILITIES, knowsTasks, startsRun, McpTasks, TASKS, UNDECLARED } from './tasks.ts'
import type { Credential, ToolService } from './tool-service.ts'

/** The SDK wants a URL, and looks at its headers and body alone. */
const NOWHERE = 'http://mcp.invalid/'
/** Headers of a request that the protocol compares with its body. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
const CONFIRM = 'confirm'

/** Advice for an agent whose user declines the cost of a call: for a recipe, and for other calls. */
const LOWER_BUDGET = "Lower the recipe's budget.credits or budget.pages, or leave this out."
const FEWER_PAGES = 'Call again with a smaller maxPages.'
const OTHERWISE: Readonly<Record<string, string>> = {
  crawl: FEWER_PAGES,
  run_template: FEWER_PAGES,
  fetch: 'One page has this price: do without it.',
}

/** Parts that answer a request of this era. */
export interface ModernOptions {
  readonly request: Incoming
  readonly service: ToolService
  readonly credential: Credential
  readonly inFlight: InFlight
  /** A call that may cost more credits is confirmed first, if the client can ask. */
  readonly confirmAbove: number | undefined
  readonly prices: PriceTable
  readonly clock: Clock
  /** Called with failures that the client sees only as an opaque error. */
  readonly onError: (error: unknown) => void
}

/**
 * Answers one request of protocol 2026-07-28, which has no handshake: version and capabilities are
 * in `_meta`, and headers repeat what proxies route by. The SDK checks these and writes the answer;
 * tools are the same as those of the other era. A server is made for each request, so nothing is
 * shared between callers.
 */
export async function answerModern(body: unknown, options: ModernOptions): Promise<Answered> {
  const { request, service, credential, inFlight, onError } = options
  const post = new CallStop()
  const leave = (): void => post.abort()
  if (request.signal.aborted) leave()
  else request.signal.addEventListener('abort', leave, { once: true })
  let notify: (notification: { method: string; params?: object }) => void = () => {}
  const calls = new ToolCalls({
    service,
    credential,
    post,
    isBatch: false,
    stream: true,
    inFlight,
    version: MODERN_VERSION,
    showsApps: knowsApps(metaOf(body)[CAPABILITIES]),
    transport: {
      async send(message) {
        if ('method' in message) notify({ method: message.method, params: message.params ?? {} })
      },
      // The SDK keeps its streams alive itself.
      beat() {},
    },
    onError,
  })
  const caller = { credential, signal: post.signal }
  const read = readerOf(service, caller)
  const tasks = service.ask ? new McpTasks({ calls, service, caller }) : null
  const handler = createMcpHandler(
    () => serverOf({ calls, read, tasks }, options, (send) => (notify = send)),
    { legacy: 'reject' },
  )
  // A request that is not for a tool asks the service for nothing that would check the credential.
  const isOfTools = isObject(body) && /^(?:tools|tasks)\//.test(String(body['method']))
  if (!isOfTools) await calls.list()
  const answer = await handler.fetch(
    new Request(NOWHERE, {
      method: 'POST',
      headers: Object.fromEntries(
        HEADERS.flatMap((name) => {
          const value = request.headers.get(name)
          return value === null ? [] : [[name, value] as const]
        }),
      ),
      signal: post.signal,
    }),
    { parsedBody: body },
  )
  // An invalid request, or one that needs a question to the user, does not reach the service.
  if (!calls.hasAsked) await calls.list()
  // The SDK has checked the request; it does not know the tasks that it names.
  const subscription = answer.ok && calls.refusal === null ? wantedTasks(body) : null
  if (subscription && tasks) {
    await answer.body?.cancel()
    if (!subscription.isDeclared)
      return { answer: undeclared(subscription), refusal: null, rates: calls.rates }
    const present = await presentTasks(subscription, tasks)
    // A task that the credential may not read counts as absent.
    if (calls.refusal === null || calls.refusal.status === 403) {
      const { id } = subscription
      const stream = listenToTasks(present, { id, tasks, clock: options.clock, post })
      return { answer: stream, refusal: null, rates: calls.rates }
    }
  }
  const { refusal, rates } = calls
  return { answer, refusal, rates }
}

/** The SDK's server for one request. */
function serverOf(
  {
    calls,
    read,
    tasks,
  }: {
    readonly calls: ToolCalls
    readonly read: ReadService | undefined
    readonly tasks: McpTasks | null
  },
  { confirmAbove, prices }: ModernOptions,
  notifyBy: (send: (notification: { method: string; params?: object }) => void) => void,
): Server {
  const server = new Server(INFO, {
    capabilities: {
      tools: {},
      ...(read && { prompts: {}, resources: {} }),
      // The service can be asked, so both are there.
      ...(tasks && { extensions: { [TASKS]: {}, [APPS]: {} } }),
    },
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: NO_VALIDATOR,
    cacheHints: {
      'tools/list': CACHED,
      'server/discover': CACHED,
      'prompts/list': CACHED,
      'resources/templates/list': CACHED,
      'resources/list': CACHED_BRIEFLY,
      'resources/read': CACHED_BRIEFLY,
    },
  })
  if (read) addContext(server, read)
  if (tasks) addTasks(server, tasks)
  server.setRequestHandler('tools/list', async () => {
    const tools = await calls.list()
    if (isError(tools)) throw Object.assign(new Error(tools.message), { code: tools.code })
    // The two SDKs have types of their own for the same JSON.
    const listed: ListToolsResult['tools'] = JSON.parse(JSON.stringify(tools))
    return { tools: listed }
  })
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: args } = params
    const question = confirmation({ tool: name, args, confirmAbove, prices }, mcpReq)
    if (question) return question
    notifyBy((notification) => {
      if (notification.method !== 'notifications/progress') return
      const { progressToken, progress, ...rest } = {
        progressToken: '',
        progress: 0,
        ...notification.params,
      }
      void mcpReq.notify({
        method: 'notifications/progress',
        params: { ...rest, progressToken, progress },
      })
    })
    const { _meta: meta } = mcpReq
    const progressToken = meta?.progressToken ?? null
    const isTask = tasks !== null && startsRun(name, args) && knowsTasks(capabilitiesIn(mcpReq))
    const called = await calls.call(mcpReq.id, {
      name,
      // The client asks again, so nothing waits here.
      args: isTask ? { ...args, waitSeconds: 0 } : args,
      progressToken,
    })
    if (isError(called)) throw Object.assign(new Error(called.message), { code: called.code })
    const task = isTask ? tasks.of(name, args, called) : null
    return task === null ? called : { ...task, content: [] }
  })
  return server
}

/** The SDK wants a schema for methods of extensions. The handlers look at the parameters. */
const ANY = {
  params: {
    '~standard': {
      version: 1 as const,
      vendor: 'seine',
      validate: (value: unknown) => ({ value }),
    },
  },
}

/** The extension of tasks. Only a client that knows it has tasks to ask for. */
function addTasks(server: Server, tasks: McpTasks): void {
  const taskIdIn = (params: unknown, mcpReq: { readonly envelope?: object }): string => {
    if (!knowsTasks(capabilitiesIn(mcpReq)))
      throw new MissingRequiredClientCapabilityError(UNDECLARED.data, UNDECLARED.message)
    const taskId = isObject(params) ? params['taskId'] : null
    return typeof taskId === 'string' ? taskId : ''
  }
  server.setRequestHandler('tasks/get', ANY, (params, { mcpReq }) =>
    tasks.get(mcpReq.id, taskIdIn(params, mcpReq)),
  )
  server.setRequestHandler('tasks/update', ANY, (params, { mcpReq }) =>
    tasks.update(mcpReq.id, taskIdIn(params, mcpReq)),
  )
  server.setRequestHandler('tasks/cancel', ANY, (params, { mcpReq }) =>
    tasks.cancel(mcpReq.id, taskIdIn(params, mcpReq)),
  )
}

/** Prompts and resources, which are the same in both eras. */
function addContext(server: Server, read: ReadService): void {
  server.setRequestHandler('prompts/list', listPrompts)
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments))
  server.setRequestHandler('resources/list', () => listResources(read))
  server.setRequestHandler('resources/templates/list', listResourceTemplates)
  server.setRequestHandler('resources/read', ({ params }) => readResource(read, params.uri))
}

/** The question whether so many credits may be spent, or the refusal; `null`: they may. */
function confirmation(
  {
    tool,
    args,
    confirmAbove,
    prices,
  }: Pick<ModernOptions, 'confirmAbove' | 'prices'> & {
    readonly tool: string
    readonly args: { readonly [name: string]: unknown } | undefined
  },
  {
    envelope,
    inputResponses,
  }: { readonly envelope?: object; readonly inputResponses?: Record<string, unknown> },
): InputRequiredResult | CallToolResult | null {
  if (confirmAbove === undefined || !canAsk(envelope)) return null
  const { credits, most } = spendingOf(tool, args, prices)
  if (credits <= confirmAbove) return null
  if (inputResponses?.[CONFIRM] === undefined)
    return inputRequired({
      inputRequests: {
        [CONFIRM]: inputRequired.elicit({
          message: `This may cost ${most}. You are asked above ${confirmAbove} credits. Go on?`,
          requestedSchema: {
            type: 'object',
            properties: { [CONFIRM]: { type: 'boolean', title: `Spend ${most}` } },
            required: [CONFIRM],
          },
        }),
      },
    })
  return acceptedContent(inputResponses, CONFIRM)?.[CONFIRM] === true
    ? null
    : failed(`The user declined to spend so many credits. ${OTHERWISE[tool] ?? LOWER_BUDGET}`)
}

/** True if the client says in a request that it can ask its user. */
function canAsk(envelope: object | undefined): boolean {
  const capabilities = capabilitiesIn({ ...(envelope && { envelope }) })
  return isObject(capabilities) && isObject(capabilities['elicitation'])
}

/** The metadata of a request as it came. */
function metaOf(body: unknown): { readonly [name: string]: unknown } {
  const params = isObject(body) ? body['params'] : null
  const meta = isObject(params) ? params['_meta'] : null
  return isObject(meta) ? meta : {}
}

/** The capabilities that a client names in each request. */
function capabilitiesIn({ envelope }: { readonly envelope?: object }): unknown {
  return new Map<string, unknown>(Object.entries(envelope ?? {})).get(CAPABILITIES)
}
