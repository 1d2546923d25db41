import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { PlatformError } from '../kernel/errors.ts'
import { EVENT_STREAM_HEADERS } from '../kernel/http/event-stream.ts'
import { EventWriter } from '../kernel/http/event-writer.ts'
import { isObject } from '../kernel/json.ts'
import type { Clock } from '../ports/clock.ts'
import { INFO } from './server-facts.ts'
import { CAPABILITIES, knowsTasks, POLL_MS, UNDECLARED } from './tasks.ts'
import type { McpTask, McpTasks } from './tasks.ts'

/** Maximum number of tasks that a stream follows. Each is a waiting call of the service. */
const MOST_TASKS = 10
/** Number of consecutive failed reads after which a task is no longer followed. */
const MOST_FAILED = 3
/** Shorter than the time after which a proxy closes a silent connection. */
const WAIT_SECONDS = 15
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const MISSING_CAPABILITY = -32_021
const REFUSED = -32_000
/** Bytes that a reader may leave unread. The results of all tasks may come at the same time. */
const MOST_UNREAD = 4 * 1_048_576

/** A `subscriptions/listen` that names tasks. */
export interface WantedTasks {
  readonly id: RequestId
  readonly taskIds: readonly string[]
  /** Whether the client has declared the extension, as it must. */
  readonly isDeclared: boolean
}

/** The tasks whose changes a message subscribes to. `null`: it is another message. */
export function wantedTasks(body: unknown): WantedTasks | null {
  if (!isObject(body) || body['method'] !== 'subscriptions/listen') return null
  const { id, params } = body
  if ((typeof id !== 'string' && typeof id !== 'number') || !isObject(params)) return null
  const { notifications, _meta: meta } = params
  const taskIds = isObject(notifications) ? notifications['taskIds'] : null
  if (!Array.isArray(taskIds)) return null
  return {
    id,
    taskIds: [...new Set(taskIds.filter((value) => typeof value === 'string'))].slice(
      0,
      MOST_TASKS,
    ),
    isDeclared: isObject(meta) && knowsTasks(meta[CAPABILITIES]),
  }
}

/** The refusal for a client that subscribes to tasks without having declared the extension. */
export function undeclared({ id }: WantedTasks): Response {
  const error = { code: MISSING_CAPABILITY, ...UNDECLARED }
  return Response.json({ jsonrpc: '2.0', id, error }, { status: 400 })
}

/**
 * Takes the place of a stream, and returns the function that frees it, or the refusal for an
 * account that has as many streams as it may.
 */
export async function streamPlace(
  { id }: WantedTasks,
  enter: () => Promise<() => void>,
): Promise<(() => void) | Response> {
  try {
    return await enter()
  } catch (refused) {
    if (!(refused instanceof PlatformError)) throw refused
    const { status, headers, message } = refused
    return Response.json(
      { jsonrpc: '2.0', id, error: { code: REFUSED, message } },
      { status, headers },
    )
  }
}

/** The requested tasks that exist. */
export async function presentTasks(
  { id, taskIds }: WantedTasks,
  tasks: McpTasks,
): Promise<readonly McpTask[]> {
  const states = await Promise.all(taskIds.map((taskId) => stateOf(tasks, id, taskId)))
  return states.filter((state) => state !== null)
}

/**
 * A stream of the states of tasks. Its first message names the tasks that it follows, without those
 * that do not exist or exceed the maximum. Each notification is the answer that `tasks/get` would
 * give. The stream ends when all its tasks have ended or can no longer be read. It has no stored
 * state, so any process can answer.
 */
export function listenToTasks(
  present: readonly McpTask[],
  {
    id,
    tasks,
    clock,
    post,
    leave,
  }: {
    readonly id: RequestId
    readonly tasks: McpTasks
    readonly clock: Clock
    /** Aborts when the client leaves. */
    readonly post: AbortController
    /** Frees the place of the stream. */
    readonly leave: () => void
  },
): Response {
  const stream = new EventWriter(() => post.abort(), MOST_UNREAD)
  post.signal.addEventListener('abort', leave, { once: true })
  if (post.signal.aborted) leave()
  const meta = { [SUBSCRIPTION]: id }
  const notify = (method: string, params: object): void =>
    stream.send('message', { jsonrpc: '2.0', method, params: { ...params, _meta: meta } })
  notify('notifications/subscriptions/acknowledged', {
    notifications: { taskIds: present.map(({ taskId }) => taskId) },
  })
  const followed = present.map(async (first) => {
    let state: McpTask | null = first
    let latest = ''
    let failed = 0
    while (failed < MOST_FAILED && !post.signal.aborted) {
      const text = state && JSON.stringify(state)
      if (state === null || text === latest) stream.beat()
      else notify('notifications/tasks', state)
      latest = text ?? latest
      if (state !== null && state.status !== 'working') return
      // Without a pause, the next read would follow at once.
      await clock.sleep(POLL_MS, post.signal).catch(() => undefined)
      state = await stateOf(tasks, id, first.taskId, WAIT_SECONDS)
      // A refusal because of the rate, or a restart of the service, is temporary.
      failed = state === null ? failed + 1 : 0
    }
  })
  void Promise.all(followed).then(() => {
    leave()
    const about = { ...meta, 'io.modelcontextprotocol/serverInfo': INFO }
    const result = { resultType: 'complete', _meta: about }
    if (!post.signal.aborted) stream.send('message', { jsonrpc: '2.0', id, result })
    stream.close()
  })
  return new Response(stream.body, { headers: EVENT_STREAM_HEADERS })
}

/** The state of a task. `null`: it cannot be read; a request for the task then gets the reason. */
async function stateOf(
  tasks: McpTasks,
  id: RequestId,
  taskId: string,
  waitSeconds = 0,
): Promise<McpTask | null> {
  try {
    return await tasks.get(id, taskId, waitSeconds)
  } catch {
    return null
  }
}
