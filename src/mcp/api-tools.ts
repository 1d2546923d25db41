import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { createBaseUrl } from '../kernel/http/base-url.ts'
import { readEvents } from '../kernel/http/event-reader.ts'
import { EVENT_STREAM } from '../kernel/http/event-stream.ts'
import type { Outgoing } from '../kernel/http/message.ts'
import { isObject } from '../kernel/json.ts'
import { describeError, failed, unknownTool } from './tool-error.ts'
import { CallResult } from './call-result.ts'
import {
  bodyOf,
  dataOf,
  errorOf,
  headerOf,
  jsonIn,
  ratesOf,
  refusalOf,
  REFUSALS,
  refused,
  seenOf,
  UNSEEN_HALF,
} from './read-answer.ts'
import type { Data } from './read-answer.ts'
import type { ToolCaller, ToolCallContext, ToolOutcome, ToolService } from './tool-service.ts'

/** A call of the API. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** A JSON body that is passed as an object. The caller reads only the data of the answer. */
  readonly json?: object
  readonly signal: AbortSignal
}

/** The code of JSON-RPC that the protocol has for an unknown tool. */
const INVALID_PARAMS = -32_602
/** The answer to a list has no result that could report an unreachable service. */
const REFUSALS_OF_LISTS: readonly number[] = [...REFUSALS, 503]

/**
 * Calls the tools of the API with the caller's own credential. Nothing else of the caller is passed
 * on.
 */
export function createApiTools({
  baseUrl,
  publicUrl,
  send,
}: {
  /** The URL of the API, without `/api/v1`. */
  readonly baseUrl: string
  /** The URL of the API for clients. Absent: links stay as the API makes them. */
  readonly publicUrl?: string | URL
  readonly send: (request: ServiceRequest) => Promise<Outgoing>
}): ToolService {
  const shown =
    publicUrl === undefined
      ? (made: Shown) => made
      : (made: Shown) => withLinksTo(createBaseUrl({ publicUrl })(''), made)
  const root = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/api/v1/mcp`
  const call = async (
    { credential, signal, progressToken }: ToolCallContext,
    tool: string,
    args: unknown,
  ): Promise<Outgoing> => {
    const accept = progressToken === null ? 'application/json' : EVENT_STREAM
    return send({
      method: 'POST',
      url: `${root}/agentic-executions`,
      headers: { ...credential, 'content-type': 'application/json', accept },
      body: null,
      json: args === undefined ? { tool, keep: false } : { tool, arguments: args, keep: false },
      signal,
    })
  }
  return {
    ask: ({ credential, signal }, { method, path, accept }) =>
      send({
        method,
        url: root.slice(0, -'/mcp'.length) + path,
        headers: { ...credential, accept },
        body: null,
        signal,
      }),
    async list({ credential, signal }: ToolCaller) {
      const answer = await send({
        method: 'GET',
        url: `${root}/tools`,
        headers: credential,
        body: null,
        signal,
      })
      const body = await bodyOf(answer)
      const refusal = refusalOf(answer, body, REFUSALS_OF_LISTS)
      const items = dataOf(body)?.['items']
      if (!refusal && !Array.isArray(items))
        throw new Error('The service did not return a list of tools')
      return {
        refusal,
        tools: Array.isArray(items) ? items.filter(isTool) : [],
        rates: ratesOf(answer),
      }
    },
    async call(caller, tool, args) {
      const answer = await call(caller, tool, args)
      if (
        answer instanceof Response &&
        answer.body &&
        headerOf(answer, 'content-type')?.startsWith(EVENT_STREAM)
      )
        return { ...(await followed(answer, answer.body, caller, shown)), rates: ratesOf(answer) }
      if (!(answer instanceof Response) && answer.data)
        return {
          refusal: null,
          result: resultOf({ ...answer.data }, shown),
          rates: ratesOf(answer),
        }
      const body = await bodyOf(answer)
      const data = dataOf(body)
      return {
        refusal: refusalOf(answer, body),
        result: data ? resultOf(data, shown) : refused(answer, body),
        ...(namesNoTool(body) && {
          error: { code: INVALID_PARAMS, message: unknownTool(tool) },
        }),
        rates: ratesOf(answer),
      }
    },
  }
}

/** Passes progress on until the run or the wait ends. */
async function followed(
  answer: Response,
  body: ReadableStream<Uint8Array>,
  { progressToken, notify, beat }: ToolCallContext,
  shown: (made: Shown) => Shown,
): Promise<ToolOutcome> {
  for await (const { event, data: text } of readEvents(body)) {
    const data = jsonIn(text)
    if (event === 'result' && isObject(data))
      return { refusal: null, result: resultOf(data, shown) }
    if (event === 'error')
      return {
        refusal: null,
        result: failed(
          describeError({
            requestId: null,
            retryAfter: null,
            lacksScope: false,
            error: errorOf(data),
          }),
        ),
      }
    if (event !== 'progress' || !isObject(data) || progressToken === null) {
      beat()
      continue
    }
    const { progress, total, message } = data
    if (typeof progress === 'number')
      notify({
        method: 'notifications/progress',
        params: {
          progressToken,
          progress,
          ...(typeof total === 'number' && { total }),
          ...(typeof message === 'string' && { message }),
        },
      })
  }
  return { refusal: null, result: refused(answer, null) }
}

function resultOf(data: Data, shown: (made: Shown) => Shown): ToolOutcome['result'] {
  if (!isObject(data['result'])) return failed('The service returned no result. Try again later.')
  const text = typeof data['text'] === 'string' ? data['text'] : null
  const { result, text: ownText } = shown({ result: data['result'], text })
  const json = JSON.stringify(result)
  if (!json.includes(UNSEEN_HALF) && !ownText?.includes(UNSEEN_HALF))
    return new CallResult(result, json, ownText)
  // If the result was parsed without invisible characters, its text has none either.
  const seen = jsonIn(json)
  return new CallResult(isObject(seen) ? seen : result, undefined, ownText && seenOf(ownText))
}

/** A result and its text. `null`: its JSON is the text. */
interface Shown {
  readonly result: Data
  readonly text: string | null
}

const API = '/api/v1/'

/** Replaces the base URL of links to files, because the service knows only its own. */
function withLinksTo(base: string, { result, text }: Shown): Shown {
  const { exportUrl } = isObject(result['run']) ? result['run'] : result
  const end = typeof exportUrl === 'string' ? exportUrl.indexOf(API) : -1
  if (typeof exportUrl !== 'string' || end < 0) return { result, text }
  const own = exportUrl.slice(0, end)
  const address = base + exportUrl.slice(end)
  const moved = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (value === exportUrl) return address
      return value.startsWith(`${own}/media/`) ? base + value.slice(own.length) : value
    }
    if (Array.isArray(value)) return value.map(moved)
    return isObject(value) ? movedIn(value) : value
  }
  const movedIn = (value: Data): Data =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, moved(member)]))
  return {
    result: movedIn(result),
    text: text && text.replaceAll(`${own}/media/`, `${base}/media/`).replaceAll(exportUrl, address),
  }
}

/** True if the service refuses the name of the tool, the only input of the client in that path. */
function namesNoTool(body: unknown): boolean {
  const error = isObject(body) ? body['error'] : null
  const issues = isObject(error) ? error['issues'] : null
  return (
    Array.isArray(issues) && issues.some((issue) => isObject(issue) && issue['path'] === 'tool')
  )
}

function isTool(value: unknown): value is Tool {
  return isObject(value) && typeof value['name'] === 'string' && isObject(value['inputSchema'])
}
