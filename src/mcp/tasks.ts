import type { CallToolResult, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { timeOfId } from '../kernel/id.ts'
import { isObject } from '../kernel/json.ts'
import { readAnswer } from './read-answer.ts'
import { runIn } from './run-link.ts'
import { isError } from './tool-calls.ts'
import type { ToolCalls } from './tool-calls.ts'
import type { ToolCaller, ToolService } from './tool-service.ts'

/** The extension of protocol 2026-07-28 that answers a long call with a task. */
export const TASKS = 'io.modelcontextprotocol/tasks'
/** The member of a request with the capabilities of its client. */
export const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
/** The answer to a client that has not declared the extension. */
export const UNDECLARED = {
  message: `This needs the extension ${TASKS}`,
  data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
}
/** Time that a client should wait before it asks again. */
export const POLL_MS = 2_000
/** Rows of a result if the call did not say. */
const ROWS = 20
const INVALID_PARAMS = -32_602

/** Tools whose runs are tasks. A task's id names the tool, because the result is in its form. */
const TOOLS = ['crawl', 'run_template'] as const
const IDS = /^(crawl|run_template)\.(\d{1,3})\.([\w-]{1,200})$/

type Data = { readonly [name: string]: unknown }

/** A task as clients see it. */
export interface McpTask {
  readonly [name: string]: unknown
  readonly taskId: string
  readonly status: 'working' | 'completed' | 'cancelled'
}

/** An acknowledgement. */
type Done = Record<string, never>

/** Why there is no such task, as an error for the SDK, which sends code and message. */
export class NoMcpTask extends Error {
  readonly code = INVALID_PARAMS

  constructor(taskId: string) {
    super(`There is no task ${taskId.slice(0, 100)} for this credential`)
  }
}

/** True if a client can poll for the result of a call. */
export function knowsTasks(capabilities: unknown): boolean {
  const extensions = isObject(capabilities) ? capabilities['extensions'] : null
  return isObject(extensions) && isObject(extensions[TASKS])
}

/** True if the call of a tool starts a run, which can be a task. */
export function startsRun(tool: string, args: Data | undefined): boolean {
  return TOOLS.some((name) => name === tool) && args?.['validateOnly'] !== true
}

/** The tasks of one request. They are runs under other names. */
export class McpTasks {
  readonly #calls: ToolCalls
  readonly #service: ToolService
  readonly #caller: ToolCaller
  constructor(options: {
    readonly calls: ToolCalls
    readonly service: ToolService
    readonly caller: ToolCaller
  }) {
    this.#calls = options.calls
    this.#service = options.service
    this.#caller = options.caller
  }

  /** The task of a call that has started a run. `null`: the result is complete. */
  of(tool: string, args: Data | undefined, result: CallToolResult): McpTask | null {
    const run = runIn(result)
    if (result.isError === true || run === null || run['done'] === true) return null
    const limit = args?.['limit']
    const id = `${tool}.${typeof limit === 'number' ? limit : ROWS}.${String(run['runId'])}`
    return { resultType: 'task', ...factsOf(id, run), status: 'working' }
  }

  /**
   * The current state of a task, with its result if the run has ended. `waitSeconds`: how long to
   * wait for the end first.
   *
   * @throws {NoMcpTask} if there is no such task
   */
  async get(id: RequestId, taskId: string, waitSeconds = 0): Promise<McpTask> {
    const { tool, limit, runId } = partsOf(taskId)
    const called = await this.#calls.call(id, {
      name: 'get_run',
      args: { runId, limit, waitSeconds },
      progressToken: null,
    })
    if (isError(called)) throw Object.assign(new Error(called.message), { code: called.code })
    const run = runIn(called)
    if (called.isError === true || run === null) throw new NoMcpTask(taskId)
    const facts = factsOf(taskId, run)
    if (run['done'] !== true) return { ...facts, status: 'working' }
    if (run['status'] === 'cancelled') return { ...facts, status: 'cancelled' }
    const { content } = called
    const structuredContent = tool === 'crawl' ? run : { valid: true, run }
    return { ...facts, status: 'completed', result: { content, structuredContent } }
  }

  /**
   * Checks that a task exists. A task needs no input from its client, because costs are confirmed
   * before it is created.
   *
   * @throws {NoMcpTask} if there is no such task
   */
  async update(id: RequestId, taskId: string): Promise<Done> {
    await this.get(id, taskId)
    return {}
  }

  /**
   * Ends a task. A task that has ended is not changed.
   *
   * @throws {NoMcpTask} if there is no such task
   */
  async cancel(id: RequestId, taskId: string): Promise<Done> {
    const { status } = await this.get(id, taskId)
    if (status !== 'working' || !this.#service.ask) return {}
    const path = `/executions/${encodeURIComponent(partsOf(taskId).runId)}/cancel`
    const answer = await this.#service.ask(this.#caller, {
      method: 'POST',
      path,
      accept: 'application/json',
    })
    const { refusal } = await readAnswer(answer)
    if (refusal) throw new NoMcpTask(taskId)
    return {}
  }
}

function factsOf(taskId: string, { runId, status, pages, rowsFound, updatedAt }: Data) {
  const fetched = isObject(pages) ? Number(pages['fetched'] ?? 0) : 0
  const createdAt = timeOfId(String(runId))
  // A service of an earlier version does not report when its run changed.
  const lastUpdatedAt =
    typeof updatedAt === 'string' ? updatedAt : new Date(createdAt ?? 0).toISOString()
  return {
    taskId,
    statusMessage: `The run is ${String(status)}: ${fetched} pages, ${String(rowsFound ?? 0)} rows`,
    createdAt: createdAt === null ? lastUpdatedAt : new Date(createdAt).toISOString(),
    lastUpdatedAt,
    // It can be read until its run is deleted.
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  }
}

/** @throws {NoMcpTask} for an id that no task can have */
function partsOf(taskId: string): {
  readonly tool: string
  readonly limit: number
  readonly runId: string
} {
  const [, tool, limit, runId] = IDS.exec(taskId) ?? []
  if (tool === undefined || runId === undefined) throw new NoMcpTask(taskId)
  return { tool, limit: Number(limit), runId }
}
