import { demandScope } from '../../kernel/preconditions.ts'
import { PlatformError, badRequest, notFound } from '../../kernel/errors.ts'
import { checkSchema } from '../../kernel/schema.ts'
import { objectOf } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { grants } from '../../kernel/scope.ts'
import type { EffectWrite, Preconditions } from '../../kernel/preconditions.ts'
import type { SearchProvider } from '../../ports/search-provider.ts'
import type { AgenticCall } from './answers.ts'
import { callOf, jsonOf, rowsOf, shape, toolOf } from './call-answer.ts'
import type { AgenticExecution } from './call-answer.ts'
import type { AgenticCallRecord, AgenticExecutionRecord } from './records.ts'
import { Change } from '../../records/change.ts'
import { retryOrBusy } from '../../records/retry.ts'
import type { Executions } from '../executions/service.ts'
import type { ListPage } from '../common/list-page.ts'
import { listRecords } from '../common/list-records.ts'
import { byId } from '../common/timed-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import { isoTime } from '../common/time.ts'
import { callerOf, countOutside } from '../common/usage.ts'
import { createCharges } from '../ledger/charge.ts'
import type { Results } from '../results/service.ts'
import type { Templates } from '../templates/service.ts'
import { createPageMemory } from './page-memory.ts'
import { UnreadablePage } from './unreadable-page.ts'
import type { PageReader } from './read-page.ts'
import type { ToolProgress, AgenticRun, Follows } from './runs.ts'
import { runOf, runWithRows, waitForRun } from './runs.ts'
import type { ListedTool } from './tool-list.ts'
import { TOOLS } from './tool-schema.ts'
import type { ToolName } from './tool-schema.ts'
import { createCrawledPages } from './search/crawled-pages.ts'
import { createFinder } from './search/finder.ts'
import { createPageIndex } from './search/page-index.ts'
import { createTools } from './tools.ts'
import type { CallPage, AgentToolCall } from './tools.ts'
import { toolScopeOf } from '../common/run-scopes.ts'
import type { Core } from '../core.ts'
import { DAY_MS, inDays } from '../../kernel/time.ts'

/** A call of a tool. */
export interface AgenticInput {
  readonly tool: ToolName
  readonly arguments?: { readonly [name: string]: Json }
  /** Longest wait for a run, in seconds; up to 50. */
  readonly waitSeconds?: number
  /** `false`: the call is not stored for reading it again. Default `true`. */
  readonly keep?: boolean
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
   * True if the answer is stored for repetitions, together with the start of a run. The call then
   * does not wait for results, because the stored answer cannot contain them.
   */
  readonly once?: boolean
  /** True if the call is for a stream that has its place. Its wait for a run then takes none. */
  readonly holdsStream?: boolean
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
  /** The calls of the account, of all its callers. Newest first, unless `sort` says otherwise. */
  list(principal: Principal, query?: AgenticCallQuery): Promise<ListPage<AgenticCall>>
}

/** Filters of the list of calls. */
export interface AgenticCallQuery extends CreatedQuery {
  readonly tool?: ToolName
}

/** The origin of the results of the tool `search`. */
function sourceOf(provider: SearchProvider | null, pageDays: number): string {
  return provider === null
    ? `Results are pages that this account has fetched in the last ${inDays(pageDays)}, and those of its ` +
        'newest runs that the credential may read.'
    : `Results come from ${provider.name}.`
}

/** How long the records of agents' calls are kept, in whole days. */
export interface AgentRetention {
  /** Answers of calls. Default 1. */
  readonly answerDays?: number
  /** Days that an entry stays in the list of calls. Default 90, as for the audit log. */
  readonly callDays?: number
  /** Days for which the text of pages is kept that agents have fetched. Default 7. */
  readonly pageDays?: number
}

/** Created on use: workerd does not allow it while a module loads. */
const never = (): AbortSignal => new AbortController().signal

/** The service of agents' tools. */
export function createAgentic(
  core: Core,
  {
    executions,
    results,
    templates,
    live,
    readPage,
    provider,
    canRender,
    base: ownBase = '',
    retention: { answerDays = 1, callDays = 90, pageDays = 7 } = {},
  }: {
    readonly executions: Executions
    readonly results: Results
    readonly templates: Templates
    readonly live: Follows
    readonly readPage: PageReader
    /** The web search provider. `null`: agents search the pages that their account has fetched. */
    readonly provider: SearchProvider | null
    /** True if pages may be rendered, which may cost more. */
    readonly canRender: boolean
    /** Base URL of links, for calls without one. */
    readonly base?: string | undefined
    readonly retention?: AgentRetention | undefined
  },
): Agentic {
  const { records, shares, blobs, ids, clock, logger, ledger, tariff } = core
  const index = createPageIndex({ records, crawled: createCrawledPages({ records, blobs }) })
  const demandRun = (
    principal: Principal,
    execution: AgenticRun,
    preconditions?: Preconditions,
  ): void => demandScope(principal, [toolScopeOf(execution)], preconditions)
  const charges = createCharges({ ledger, tariff, canRender })
  const tools = createTools({
    executions,
    templates,
    memory: createPageMemory({ records, ids, index, pageDays }),
    finder: createFinder({ provider, index, logger }),
    inspections: shares.inspections,
    readPage,
    canRender,
    demandCredits: (account) => charges.demand(account, clock.now()),
    demandRun,
  })
  const show = async (
    principal: Principal,
    execution: AgenticRun,
    record: AgenticExecutionRecord,
    base: string,
  ): Promise<AgenticExecution> =>
    callOf(
      record,
      shape(
        record.tool,
        await runWithRows(
          { results, executions },
          principal,
          execution,
          rowsOf(record.arguments),
          base,
        ),
      ),
    )

  return {
    async tools(principal) {
      const { LISTED_TOOLS } = await import('./tool-list.ts')
      const mine = Object.entries(TOOLS).filter(([, { scopes }]) =>
        scopes.some((scope) => grants(principal.scopes, scope)),
      )
      return {
        items: LISTED_TOOLS.filter(({ name }) => mine.some(([readable]) => readable === name)).map(
          (tool) =>
            tool.name === 'search'
              ? { ...tool, description: `${tool.description} ${sourceOf(provider, pageDays)}` }
              : tool,
        ),
        nextCursor: null,
      }
    },

    async call(
      principal,
      { tool, arguments: args = {}, waitSeconds = 50, keep = true },
      { signal = never(), base = ownBase, report, once = false, holdsStream = false } = {},
      preconditions,
    ) {
      demandScope(principal, TOOLS[tool].scopes, preconditions)
      const now = clock.now()
      const listed: AgenticCallRecord = {
        id: ids('agx'),
        at: now,
        tool,
        user: principal.user,
        key: principal.key ?? null,
        execution: null,
        code: null,
        credits: 0,
      }
      const note = {
        id: listed.id,
        tool,
        arguments: args,
        result: null,
        execution: null,
        createdAt: now,
        expiresAt: keep ? now + answerDays * DAY_MS : now,
      }
      let begun: AgenticExecutionRecord | null = null
      const call: AgentToolCall = {
        principal,
        signal,
        now,
        preconditions: {
          expect: () => {},
          demanded: (scopes) => preconditions?.demanded(scopes),
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
            setListed(write, principal.account, { ...listed, execution: data.id })
            await preconditions?.settle(write, await callOf(begun, shape(tool, runOf(data, base))))
          },
          settled: () => preconditions?.settled(),
        },
      }
      const outcome = await handle(tool, args, call).catch(async (error: unknown) => {
        if (error instanceof UnreadablePage) await countUnread(principal, error)
        await listRefused(principal.account, listed, error)
        throw error
      })
      if (outcome.execution === null) {
        const { result, write, page } = outcome
        return conclude(
          principal.account,
          preconditions,
          await callOf(note, result),
          async (change) => {
            write?.(change)
            const credits = page ? await payFor(change, principal, note.id, page) : 0
            setListed(change, principal.account, { ...listed, credits })
            if (keep)
              records.agenticExecutions.put(
                change,
                principal.account,
                { ...note, result: jsonOf(result) },
                note.expiresAt,
              )
          },
          page !== undefined,
        )
      }
      const { execution } = outcome
      const record: AgenticExecutionRecord = begun ?? { ...note, execution: execution.id }
      if (execution.finishedAt === null && !(once && begun)) {
        await waitForRun(live, clock, principal, execution.id, {
          seconds: Math.min(waitSeconds, outcome.waitSeconds),
          signal,
          holdsStream,
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
      return conclude(principal.account, preconditions, answer, async (change) => {
        setListed(change, principal.account, { ...listed, execution: execution.id })
        if (keep) records.agenticExecutions.put(change, principal.account, record, note.expiresAt)
      })
    },

    list: ({ account }, query = {}) =>
      listRecords(core, {
        account,
        operation: 'mcp.list',
        query,
        filter: [query.tool ?? null],
        source: { collection: records.agenticCalls, keys: byId('agx'), timeOf: ({ at }) => at },
        ...(query.tool !== undefined && {
          keep: ({ tool }: AgenticCallRecord) => tool === query.tool,
        }),
        show: (items) =>
          items.flatMap(({ at, key, execution, ...call }): AgenticCall[] => {
            const tool = toolOf(call.tool)
            return tool
              ? [{ ...call, tool, at: isoTime(at), keyId: key, executionId: execution }]
              : []
          }),
      }),

    async get(principal, id, { base = ownBase } = {}) {
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

  /** Commits the records of a call. Most calls that are not stored have no records. */
  async function conclude(
    account: string,
    preconditions: Preconditions | undefined,
    answer: AgenticExecution,
    write: (change: Change) => Promise<void>,
    isPaid = false,
  ): Promise<AgenticExecution> {
    const commit = () =>
      retryOrBusy('The call', async () => {
        const change = new Change()
        await write(change)
        await preconditions?.settle(change, answer)
        return change.size === 0 || records.commit(change)
      })
    // Other calls of the account wait only if its credits change.
    await (isPaid ? ledger.alone(account, commit) : commit())
    preconditions?.settled()
    return answer
  }

  function setListed(write: EffectWrite, account: string, call: AgenticCallRecord): void {
    write.set(records.agenticCalls.key(account, [call.id]), call, call.at + callDays * DAY_MS)
  }

  /** Adds a refused call to the list. If that fails, the answer is still the refusal. */
  async function listRefused(
    account: string,
    call: AgenticCallRecord,
    error: unknown,
  ): Promise<void> {
    const change = new Change()
    const code = error instanceof PlatformError ? error.code : 'INTERNAL_SERVER_ERROR'
    setListed(change, account, { ...call, code })
    await records.commit(change).catch((failure: unknown) => {
      logger.warn('A refused call could not be listed', { call: call.id, error: failure })
    })
  }

  /** Counts and pays a fetched page in the commit of its call. Returns its price. */
  async function payFor(
    change: Change,
    principal: Principal,
    cause: string,
    { url, bytes, rendered }: CallPage,
  ): Promise<number> {
    const { account } = principal
    const now = clock.now()
    const page = { cause, outcome: 'fetched', rendered, url } as const
    const { credits, at } = await charges.pay(change, account, page, now)
    const counted = { outcome: page.outcome, reason: null, rows: 0, bytes, credits }
    countOutside(records, change, account, 'fetch', [counted], callerOf(principal), at)
    return credits
  }

  /** Counts a page that could not be read. Like a failed page of an execution it costs nothing. */
  async function countUnread(
    principal: Principal,
    { outcome, reason, bytes }: UnreadablePage,
  ): Promise<void> {
    const change = new Change()
    const page = { outcome, reason, rows: 0, bytes, credits: 0 }
    const { account } = principal
    countOutside(records, change, account, 'fetch', [page], callerOf(principal), clock.now())
    await records.commit(change)
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
  async function handle(tool: ToolName, args: object, call: AgentToolCall) {
    switch (tool) {
      case 'search':
        return tools.search(accepted(TOOLS.search.input, args), call)
      case 'fetch':
        return tools.fetch(accepted(TOOLS.fetch.input, args), call)
      case 'crawl':
        return tools.crawl(accepted(TOOLS.crawl.input, args), call)
      case 'search_templates':
        return tools.search_templates(accepted(TOOLS.search_templates.input, args), call)
      case 'run_template':
        return tools.run_template(accepted(TOOLS.run_template.input, args), call)
      case 'get_run':
        return tools.get_run(accepted(TOOLS.get_run.input, args), call)
    }
  }
}

function accepted<T>(schema: Parameters<typeof checkSchema<T>>[0], args: object): T {
  const checked = checkSchema(schema, args)
  if (checked.issues)
    throw badRequest(
      checked.issues.map(({ path, message }) => ({
        path: path === '' ? 'arguments' : `arguments.${path}`,
        message,
      })),
    )
  return checked.output
}

function isExecution(data: object): data is AgenticRun {
  return 'counters' in data && 'status' in data && 'id' in data
}
