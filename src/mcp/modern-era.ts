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
import type { FairGate } from '../kernel/fair/fair-gate.ts'
import type { Incoming } from '../kernel/http/message.ts'
import type { PriceTable } from '../kernel/price.ts'
import type { Clock } from '../ports/clock.ts'
import { isObject } from '../kernel/json.ts'
import type { AcceptedEnvelopes } from './accepted-envelopes.ts'
import { readerOf, whenLeft } from './answer.ts'
import type { Answered } from './answer.ts'
import { CallResult } from './call-result.ts'
import { capabilitiesIn, spendingQuestion } from './confirm-spending.ts'
import type { SpendingQuestion } from './confirm-spending.ts'
import { CallStop } from './in-flight.ts'
import type { InFlight } from './in-flight.ts'
import { APPS, knowsApps } from './context/mcp-app.ts'
import { getPrompt, listPrompts } from './context/prompts.ts'
import { listResources, listResourceTemplates, readResource } from './context/resources.ts'
import type { ReadService } from './context/resources.ts'
import { CACHED, CACHED_BRIEFLY, INFO, INSTRUCTIONS, NO_VALIDATOR } from './server-facts.ts'
import { plainModernAnswer, plainModernCallOf } from './plain-modern-call.ts'
import { failed } from './tool-error.ts'
import { isError, ToolCalls } from './tool-calls.ts'
import { MODERN_VERSION } from './read-message.ts'
import { listenToTasks, presentTasks, streamPlace, undeclared, wantedTasks } from './task-stream.ts'
import { CAPABILITIES, knowsTasks, startsRun, McpTasks, TASKS, UNDECLARED } from './tasks.ts'
import type { PlainModernCall } from './plain-modern-call.ts'
import type { Credential, ToolService } from './tool-service.ts'

/** The outcome of a call of a tool. */
type Called = Awaited<ReturnType<ToolCalls['call']>>

/** The SDK needs a URL, but uses only headers and body. */
const NOWHERE = 'http://mcp.invalid/'
/** Headers of a request that the protocol compares with its body. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
const CONFIRM = 'confirm'

/** The dependencies of answers in this era. */
export interface ModernOptions {
  readonly request: Incoming
  readonly service: ToolService
  readonly credential: Credential
  readonly inFlight: InFlight
  /** The places of streams by credential, for a service that does not count them by account. */
  readonly streams: FairGate
  /** The envelopes that this endpoint has accepted so far. */
  readonly envelopes: AcceptedEnvelopes
  /** A call that may cost more credits is confirmed first, if the client can ask. */
  readonly confirmAbove: number | undefined
  readonly prices: PriceTable
  readonly clock: Clock
  /** Called with failures that the client sees only as an opaque error. */
  readonly onError: (error: unknown) => void
}

/**
 * Answers one request of protocol 2026-07-28, which has no handshake: version and capabilities are
 * in `_meta`, and headers repeat the values that proxies use for routing. Tools are the same as
 * those of the other era.
 *
 * The SDK checks the request and writes the answer, with a server that is made for this request
 * alone. A plain call is made and answered without it, if an earlier call had the same envelope.
 * Calls share nothing else.
 */
export async function answerModern(body: unknown, options: ModernOptions): Promise<Answered> {
  const { request, service, credential, inFlight, streams, onError } = options
  const post = new CallStop()
  const forget = whenLeft(request, () => post.abort())
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
  const plain = plainModernCallOf(body, request.headers)
  const early = plain && (await calledEarly(plain, calls, options))
  if (plain && early instanceof CallResult) {
    forget()
    const { refusal, rates } = calls
    const answer = {
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: plainModernAnswer(plain.id, early),
    }
    return { answer, refusal, rates }
  }
  const caller = { credential, signal: post.signal }
  const read = readerOf(service, caller)
  const tasks = service.ask ? new McpTasks({ calls, service, caller }) : null
  const handler = createMcpHandler(
    () => serverOf({ calls, read, tasks, plain, early }, options, (send) => (notify = send)),
    { legacy: 'reject' },
  )
  // A request that is not for a tool sends the service nothing that would check the credential.
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
  // An invalid request, or one that first needs a question to the user, does not reach the service.
  if (!calls.hasAsked) await calls.list()
  // The SDK has checked the request, but it does not know the request's tasks.
  const subscription = answer.ok && calls.refusal === null ? wantedTasks(body) : null
  if (subscription && tasks) {
    await answer.body?.cancel()
    if (!subscription.isDeclared)
      return { answer: undeclared(subscription), refusal: null, rates: calls.rates }
    const leave = await streamPlace(
      subscription,
      () => service.enterStream?.(() => post.abort()) ?? streams.enter(JSON.stringify(credential)),
    )
    if (leave instanceof Response) return { answer: leave, refusal: null, rates: calls.rates }
    const present = await presentTasks(subscription, tasks)
    // A task that the credential may not read counts as absent.
    if (calls.refusal === null || calls.refusal.status === 403) {
      const { id } = subscription
      const stream = listenToTasks(present, { id, tasks, clock: options.clock, post, leave })
      return { answer: stream, refusal: null, rates: calls.rates }
    }
    leave()
  }
  const { refusal, rates } = calls
  return { answer, refusal, rates }
}

/**
 * Calls the tool of a plain call before the SDK is asked. `null`: nothing was called. The SDK may
 * refuse an envelope that was not accepted before, or answer with a task or a question.
 */
async function calledEarly(
  plain: PlainModernCall,
  calls: ToolCalls,
  { envelopes, confirmAbove, prices }: ModernOptions,
): Promise<Called | null> {
  const { id, name, args, envelope } = plain
  if (startsRun(name, args) || !envelopes.has(envelope)) return null
  if (spendingQuestion({ tool: name, args, confirmAbove, prices }, envelope)) return null
  return calls.call(id, { name, args, progressToken: null })
}

/** The SDK's server for one request. */
function serverOf(
  {
    calls,
    read,
    tasks,
    plain,
    early,
  }: {
    readonly calls: ToolCalls
    readonly read: ReadService | undefined
    readonly tasks: McpTasks | null
    readonly plain: PlainModernCall | null
    /** The outcome of a plain call that was already made. */
    readonly early: Called | null
  },
  { envelopes, confirmAbove, prices }: ModernOptions,
  notifyBy: (send: (notification: { method: string; params?: object }) => void) => void,
): Server {
  const server = new Server(INFO, {
    capabilities: {
      tools: {},
      ...(read && { prompts: {}, resources: {} }),
      // The service supports reads, so both exist.
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
    const question = spendingQuestion({ tool: name, args, confirmAbove, prices }, mcpReq.envelope)
    const reply = question && replyTo(question, mcpReq.inputResponses)
    if (reply) return reply
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
    const called =
      early ??
      (await calls.call(mcpReq.id, {
        name,
        // The client sends the request again, so nothing waits here.
        args: isTask ? { ...args, waitSeconds: 0 } : args,
        progressToken,
      }))
    if (isError(called)) throw Object.assign(new Error(called.message), { code: called.code })
    // Unknown clients, whose calls are refused or aborted, must not displace other envelopes.
    if (plain && !calls.refusal && !called.isError) envelopes.add(plain.envelope)
    const task = isTask ? tasks.of(name, args, called) : null
    return task === null ? called : { ...task, content: [] }
  })
  return server
}

/** The SDK needs a schema for methods of extensions. The handlers check the parameters. */
const ANY = {
  params: {
    '~standard': {
      version: 1 as const,
      vendor: 'seine',
      validate: (value: unknown) => ({ value }),
    },
  },
}

/** The extension for tasks. Only a client with this extension has tasks to ask for. */
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

/** Asks the user, or refuses what the user declined. `null`: the user agrees. */
function replyTo(
  { message, title, declined }: SpendingQuestion,
  answers: Record<string, unknown> | undefined,
): InputRequiredResult | CallToolResult | null {
  if (answers?.[CONFIRM] === undefined)
    return inputRequired({
      inputRequests: {
        [CONFIRM]: inputRequired.elicit({
          message,
          requestedSchema: {
            type: 'object',
            properties: { [CONFIRM]: { type: 'boolean', title } },
            required: [CONFIRM],
          },
        }),
      },
    })
  return acceptedContent(answers, CONFIRM)?.[CONFIRM] === true ? null : failed(declined)
}

/** The metadata of a request as it came. */
function metaOf(body: unknown): { readonly [name: string]: unknown } {
  const params = isObject(body) ? body['params'] : null
  const meta = isObject(params) ? params['_meta'] : null
  return isObject(meta) ? meta : {}
}
