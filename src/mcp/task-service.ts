import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { readEvents } from '../kernel/http/event-reader.ts'
import { EVENT_STREAM } from '../kernel/http/event-stream.ts'
import type { Outgoing } from '../kernel/http/message.ts'
import { isObject } from '../kernel/json.ts'
import { describeError, failed } from './tool-error.ts'
import type { ServiceError } from './tool-error.ts'
import type { Asked, AskedCall, Called, Refusal, ToolService } from './tool-service.ts'

/** A call of the Task Service. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
}

/** Options of {@link createTaskService}. */
export interface TaskServiceOptions {
  /** Its URL, without `/api/v1`. */
  readonly baseUrl: string
  readonly send: (request: ServiceRequest) => Promise<Outgoing>
}

const REFUSALS: readonly number[] = [401, 403, 429]

/** Calls the Task Service with the caller's own credential, and with nothing else of the caller's. */
export function createTaskService({ baseUrl, send }: TaskServiceOptions): ToolService {
  const root = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/api/v1/mcp`
  const call = async (
    { credential, signal, progressToken }: AskedCall,
    tool: string,
    given: unknown,
  ): Promise<Outgoing> => {
    const accept = progressToken === null ? 'application/json' : EVENT_STREAM
    return send({
      method: 'POST',
      url: `${root}/agentic-executions`,
      headers: { ...credential, 'content-type': 'application/json', accept },
      body: JSON.stringify({ tool, arguments: given, keep: false }),
      signal,
    })
  }
  return {
    async list({ credential, signal }: Asked) {
      const answer = await send({
        method: 'GET',
        url: `${root}/tools`,
        headers: credential,
        body: null,
        signal,
      })
      const refusal = refusalOf(answer)
      const items = dataOf(await bodyOf(answer))?.['items']
      if (!refusal && !Array.isArray(items))
        throw new Error('The service did not return a list of tools')
      return { refusal, tools: Array.isArray(items) ? items.filter(isTool) : [] }
    },
    async call(asked, tool, given) {
      const answer = await call(asked, tool, given)
      if (
        answer instanceof Response &&
        answer.body &&
        headerOf(answer, 'content-type')?.startsWith(EVENT_STREAM)
      )
        return followed(answer, answer.body, asked)
      const body = await bodyOf(answer)
      const data = dataOf(body)
      return { refusal: refusalOf(answer), result: data ? resultOf(data) : refused(answer, body) }
    },
  }
}

/** Passes progress on until the run ends or the waiting does. */
async function followed(
  answer: Response,
  body: ReadableStream<Uint8Array>,
  { progressToken, notify, beat }: AskedCall,
): Promise<Called> {
  for await (const { event, data: text } of readEvents(body)) {
    const data = jsonIn(text)
    if (event === 'result' && isObject(data)) return { refusal: null, result: resultOf(data) }
    if (event === 'error')
      return {
        refusal: null,
        result: failed(describeError({ requestId: null, retryAfter: null, error: errorOf(data) })),
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

function resultOf(data: { readonly [name: string]: unknown }): Called['result'] {
  const { result } = data
  if (!isObject(result)) return failed('The service returned no result. Try again later.')
  // Both forms: clients of versions before 2025-06-18 read only the text.
  return { structuredContent: result, content: [{ type: 'text', text: JSON.stringify(result) }] }
}

function refused(answer: Outgoing, body: unknown): Called['result'] {
  return failed(
    describeError({
      requestId: headerOf(answer, 'x-request-id'),
      retryAfter: headerOf(answer, 'retry-after'),
      error: errorOf(isObject(body) ? body['error'] : null),
    }),
  )
}

function refusalOf(answer: Outgoing): Refusal | null {
  const { status } = answer
  return REFUSALS.includes(status)
    ? {
        status,
        challenge: headerOf(answer, 'www-authenticate'),
        retryAfter: headerOf(answer, 'retry-after'),
      }
    : null
}

async function bodyOf(answer: Outgoing): Promise<unknown> {
  const text = answer instanceof Response ? await answer.text() : answer.body
  return text === null ? null : jsonIn(text)
}

/** Parses JSON; `null` for invalid JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function dataOf(body: unknown): { [name: string]: unknown } | null {
  const data = isObject(body) && body['success'] === true ? body['data'] : null
  return isObject(data) ? data : null
}

function headerOf({ headers }: Outgoing, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name)
  return Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1] ?? null
}

function errorOf(given: unknown): ServiceError | null {
  if (!isObject(given)) return null
  const { code, message, issues } = given
  return {
    code: textOf(code),
    message: textOf(message),
    issues: Array.isArray(issues)
      ? issues
          .filter(isObject)
          .map((issue) => `${textOf(issue['path'])}: ${textOf(issue['message'])}`)
      : [],
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isTool(value: unknown): value is Tool {
  return isObject(value) && typeof value['name'] === 'string' && isObject(value['inputSchema'])
}
