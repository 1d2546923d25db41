import { demandScope } from '../../kernel/preconditions.ts'
import { PlatformError, badRequest, busy, notFound } from '../../kernel/errors.ts'
import { checkSchema } from '../../kernel/schema.ts'
import { isJson } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { grants } from '../../kernel/scope.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import type { SearchProvider } from '../../ports/search-provider.ts'
import type { AgenticExecutionRecord } from './records.ts'
import { Change } from '../../records/change.ts'
import type { Executions } from '../executions/service.ts'
import { isoTime } from '../common/time.ts'
import type { Results } from '../results/service.ts'
import type { Templates } from '../templates/service.ts'
import { createPageMemory } from './page-memory.ts'
import type { PageReader } from './read-page.ts'
import type { ToolProgress, Execution, RowsWanted, Follows } from './runs.ts'
import { runOf, runWithRows, waitForRun } from './runs.ts'
import type { ListedTool } from './tool-list.ts'
import { TOOLS } from './tool-schema.ts'
import type { AgentRun, ToolName } from './tool-schema.ts'
import { createCrawledPages } from './search/crawled-pages.ts'
import { createFinder } from './search/finder.ts'
import { createPageIndex } from './search/page-index.ts'
import { createTools } from './tools.ts'
import type { ToolCall } from './tools.ts'
import type { Core } from '../core.ts'
import { DAY_MS } from '../../kernel/time.ts'

/** A call of a tool. */
export interface AgenticInput {
  readonly tool: ToolName
  readonly arguments?: { readonly [name: string]: Json }
  /** Longest wait for a run, in seconds; up to 50. */
  readonly waitSeconds?: number
  /** `false`: the call is not stored for reading it again. Default `true`. */
  readonly keep?: boolean
}

/** A call of a tool on the wire. */
export interface AgenticExecution {
  readonly id: string
  readonly tool: string
  readonly arguments: Json
  /** For a run: its present state. */
  readonly result: object
  readonly executionId: string | null
  readonly createdAt: string
  readonly expiresAt: string
}

/** Context of a call. */
export interface AgenticContext {
  /** Ends the wait for a run and other long work, for example when the caller has gone. */
  readonly signal?: AbortSignal
  /**
   * Called with the progress of a run that the call waits for: at once, then whenever more pages
   * are done.
   */
  readonly report?: (progress: ToolProgress) => void
  /**
   * The answer is stored for repetitions together with the start of a run. The call then does not
   * wait for results that the stored answer could not contain.
   */
  readonly once?: boolean
  /** Base URL of links. */
  readonly base?: string
}

/**
 * The tools of agents. A caller needs one of a tool's scopes, or the call is 403. A call, page or
 * run of another account is not found.
 */
export interface Agentic {
  /** Lists the tools that the caller may use. */
  tools(
    principal: Principal,
  ): Promise<{ readonly items: readonly ListedTool[]; readonly nextCursor: null }>
  /**
   * @throws {PlatformError} 400 with paths below `arguments`; 422 for a page that cannot be read;
   *   any error of the tool's own service
   */
  call(
    principal: Principal,
    input: AgenticInput,
    context?: AgenticContext,
    preconditions?: Preconditions,
  ): Promise<AgenticExecution>
  get(principal: Principal, id: string, context?: AgenticContext): Promise<AgenticExecution>
}

/** Options of {@link createAgentic}. */
export interface AgenticOptions {
  readonly executions: Executions
  readonly results: Results
  readonly templates: Templates
  readonly live: Follows
  readonly readPage: PageReader
  /** The web search provider. `null`: agents search the pages that their account has fetched. */
  readonly provider: SearchProvider | null
}

const KEPT_MS = DAY_MS
/** Created on use: workerd does not allow it while a module loads. */
const never = (): AbortSignal => new AbortController().signal

/** The service of agents' tools. */
export function createAgentic(
  { records, shares, blobs, ids, clock, logger }: Core,
  { executions, results, templates, live, readPage, provider }: AgenticOptions,
): Agentic {
  const index = createPageIndex({ records, crawled: createCrawledPages({ records, blobs }) })
  const demandRun = (
    principal: Principal,
    { templateId }: Execution,
    preconditions?: Preconditions,
  ): void =>
    demandScope(
      principal,
      templateId === null ? TOOLS.crawl.scopes : TOOLS.run_template.scopes,
      preconditions,
    )
  const tools = createTools({
    executions,
    templates,
    memory: createPageMemory({ records, ids, index }),
    finder: createFinder({ provider, index, logger }),
    inspections: shares.inspections,
    readPage,
    demandRun,
  })
  const show = async (
    principal: Principal,
    execution: Execution,
    record: AgenticExecutionRecord,
    base: string,
  ): Promise<AgenticExecution> =>
    callOf(
      record,
      shape(
        record.tool,
        await runWithRows(results, principal, execution, rowsOf(record.arguments), base),
      ),
    )

  return {
    async tools(principal) {
      const { LISTED_TOOLS } = await import('./tool-list.ts')
      const mine = Object.entries(TOOLS).filter(([, { scopes }]) =>
        scopes.some((scope) => grants(principal.scopes, scope)),
      )
      return {
        items: LISTED_TOOLS.filter(({ name }) => mine.some(([known]) => known === name)),
        nextCursor: null,
      }
    },

    async call(
      principal,
      { tool, arguments: given = {}, waitSeconds = 50, keep = true },
      { signal = never(), base = '', report, once = false } = {},
      preconditions,
    ) {
      demandScope(principal, TOOLS[tool].scopes, preconditions)
      const now = clock.now()
      const note = {
        id: ids('agx'),
        tool,
        arguments: given,
        result: null,
        execution: null,
        createdAt: now,
        expiresAt: keep ? now + KEPT_MS : now,
      }
      const change = new Change()
      let begun: AgenticExecutionRecord | null = null
      const call: ToolCall = {
        principal,
        signal,
        now,
        change,
        preconditions: {
          expect: () => {},
          demanded: (wanted) => preconditions?.demanded(wanted),
          async settle(write, data) {
            if (!isExecution(data))
              throw new Error('A tool changed something that is not an execution')
            begun = { ...note, execution: data.id }
            if (keep)
              write.set(
                records.agenticExecutions.key(principal.account, [note.id]),
                begun,
                note.expiresAt,
              )
            await preconditions?.settle(write, callOf(begun, shape(tool, runOf(data, base))))
          },
          settled: () => preconditions?.settled(),
        },
      }
      const outcome = await handle(tool, given, call)
      if (outcome.execution === null) {
        const answer = callOf(note, outcome.result)
        if (keep)
          records.agenticExecutions.put(
            change,
            principal.account,
            { ...note, result: jsonOf(outcome.result) },
            note.expiresAt,
          )
        return conclude(change, preconditions, answer)
      }
      const { execution } = outcome
      const record: AgenticExecutionRecord = begun ?? { ...note, execution: execution.id }
      if (execution.finishedAt === null && !(once && begun)) {
        await waitForRun(live, clock, principal, execution.id, {
          seconds: Math.min(waitSeconds, outcome.waitSeconds),
          signal,
          ...(report && { report }),
        })
        if (outcome.endsWithCall && signal.aborted) await cancelIfRunning(principal, execution.id)
      }
      const answer = await show(
        principal,
        await executions.get(principal, execution.id),
        record,
        base,
      )
      if (begun) return answer
      if (keep) records.agenticExecutions.put(change, principal.account, record, note.expiresAt)
      return conclude(change, preconditions, answer)
    },

    async get(principal, id, { base = '' } = {}) {
      const stored = await records.agenticExecutions.get(principal.account, id)
      const tool = toolOf(stored?.value.tool)
      if (!stored || !tool) throw notFound('Agentic execution')
      demandScope(principal, TOOLS[tool].scopes)
      const { execution, result } = stored.value
      if (execution === null) return callOf(stored.value, objectOf(result))
      const now = await executions.get(principal, execution)
      demandRun(principal, now)
      return show(principal, now, stored.value, base)
    },
  }

  /** Commits the records of a call. Most calls that are not stored have none. */
  async function conclude(
    change: Change,
    preconditions: Preconditions | undefined,
    answer: AgenticExecution,
  ): Promise<AgenticExecution> {
    await preconditions?.settle(change, answer)
    if (change.size > 0 && !(await records.commit(change)))
      throw busy('The call could not be recorded; try again')
    preconditions?.settled()
    return answer
  }

  async function cancelIfRunning(principal: Principal, id: string): Promise<void> {
    try {
      await executions.cancel(principal, id)
    } catch (error) {
      // The run has already ended by itself.
      if (!(error instanceof PlatformError && error.code === 'CONFLICT')) throw error
    }
  }

  /** Checks the arguments by the tool's own schema. */
  async function handle(tool: ToolName, given: object, call: ToolCall) {
    switch (tool) {
      case 'search':
        return tools.search(accepted(TOOLS.search.input, given), call)
      case 'fetch':
        return tools.fetch(accepted(TOOLS.fetch.input, given), call)
      case 'crawl':
        return tools.crawl(accepted(TOOLS.crawl.input, given), call)
      case 'search_templates':
        return tools.search_templates(accepted(TOOLS.search_templates.input, given), call)
      case 'run_template':
        return tools.run_template(accepted(TOOLS.run_template.input, given), call)
      case 'get_run':
        return tools.get_run(accepted(TOOLS.get_run.input, given), call)
    }
  }
}

function accepted<T>(schema: Parameters<typeof checkSchema<T>>[0], given: object): T {
  const checked = checkSchema(schema, given)
  if (checked.issues)
    throw badRequest(
      checked.issues.map(({ path, message }) => ({
        path: path === '' ? 'arguments' : `arguments.${path}`,
        message,
      })),
    )
  return checked.output
}

function callOf(
  { id, tool, arguments: given, execution, createdAt, expiresAt }: AgenticExecutionRecord,
  result: object,
): AgenticExecution {
  return {
    id,
    tool,
    arguments: given,
    result,
    executionId: execution,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
  }
}

function shape(tool: string, run: AgentRun): object {
  return tool === 'run_template' ? { valid: true, run } : run
}

function rowsOf(given: Json): RowsWanted {
  const { cursor, limit } = objectOf(given)
  return {
    ...(typeof cursor === 'string' && { cursor }),
    ...(typeof limit === 'number' && { limit }),
  }
}

function objectOf(value: Json): { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {}
}

function jsonOf(result: object): Json {
  const value: unknown = JSON.parse(JSON.stringify(result))
  if (!isJson(value)) throw new Error("A tool's answer is not JSON")
  return value
}

function toolOf(name: string | undefined): ToolName | null {
  return name !== undefined && isTool(name) ? name : null
}

function isTool(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name)
}

function isExecution(data: object): data is Execution {
  return 'counters' in data && 'status' in data && 'id' in data
}
