import type { AgenticExecution, AgenticInput } from '../../../client.ts'
import { isObject, parseObject, readError } from '../../../client/read-error.ts'
import { systemClock } from '../../../defaults/system-clock.ts'
import { EVENT_STREAM } from '../../../kernel/http/event-stream.ts'
import { callApi, key } from '../session.ts'

/** The progress of a call of a tool, in pages. */
export interface CallProgress {
  readonly done: number
  readonly total: number | null
  readonly message: string
}

/**
 * Calls a tool, and reports the progress of its run.
 *
 * @throws {SeineError}
 */
export async function callTool(
  input: AgenticInput,
  onProgress: (progress: CallProgress) => void,
): Promise<AgenticExecution> {
  const response = await callApi('/api/v1/mcp/agentic-executions', {
    method: 'POST',
    headers: {
      ...(key.value !== null && { 'X-API-Key': key.value }),
      'Content-Type': 'application/json',
      Accept: EVENT_STREAM,
    },
    body: JSON.stringify(input),
  })
  const { body, ok, headers } = response
  if (!ok) throw await readError(response, systemClock.now())
  if (!headers.get('content-type')?.startsWith(EVENT_STREAM) || body === null)
    return (await response.json()).data
  // The client loads it in the same way, so it is one file.
  const { readEvents } = await import('../../../kernel/http/event-reader.ts')
  for await (const { event, data } of readEvents(body)) {
    if (event === 'progress') onProgress(progressOf(data))
    else if (event === 'result') return JSON.parse(data)
    else if (event === 'error') throw await readError(refused(data), systemClock.now())
  }
  // The stream broke off, but the run continues, and is in the list of calls.
  throw await readError(new Response(null, { status: 503 }), systemClock.now())
}

function progressOf(data: string): CallProgress {
  const { progress, total, message } = parseObject(data) ?? {}
  return {
    done: typeof progress === 'number' ? progress : 0,
    total: typeof total === 'number' ? total : null,
    message: typeof message === 'string' ? message : '',
  }
}

/** An error in the stream, in the form that it would have as an answer. */
function refused(data: string): Response {
  const error = parseObject(data)
  return Response.json({ error: isObject(error) ? error : {} }, { status: 400 })
}
