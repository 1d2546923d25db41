import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import { normaliseUrl } from '../../kernel/url.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import { withPaths } from '../common/issue-paths.ts'
import type { FairGate } from '../../kernel/fair/fair-gate.ts'
import { isJson } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import type { Change } from '../../records/change.ts'
import type { Executions } from '../executions/service.ts'
import type { Templates } from '../templates/service.ts'
import { isPageId } from './search/findable-page.ts'
import type { PageMemory } from './page-memory.ts'
import type { PageReader } from './read-page.ts'
import type { AgenticRun } from './runs.ts'
import type { Finder } from './search/finder.ts'
import { CRAWL_PAGES } from './tool-schema.ts'
import type { ToolArguments, ToolName, ToolResult } from './tool-schema.ts'

/** Context of a tool call. */
export interface AgentToolCall {
  readonly principal: Principal
  /** Ends long work, for example when the caller has gone. */
  readonly signal: AbortSignal
  readonly now: number
  /**
   * The preconditions for starting or ending an execution. They make it one commit with the record
   * of the call.
   */
  readonly preconditions: Preconditions
}

/** The outcome of a tool: a result, or an execution whose state and rows are the result. */
type Outcome<Name extends ToolName> =
  | {
      readonly result: ToolResult<Name>
      readonly execution: null
      /** Adds the tool's writes to the commit that also writes the record of the call. */
      readonly write?: (change: Change) => void
      /** The page that the call has fetched. It is counted and paid in that commit. */
      readonly page?: CallPage
    }
  | {
      readonly result: null
      readonly execution: AgenticRun
      /** Longest wait for it. */ readonly waitSeconds: number
      /** If true, the run is cancelled when the caller leaves during the wait. */ readonly endsWithCall: boolean
    }

/** A page that a call has fetched. */
export interface CallPage {
  readonly url: string
  readonly bytes: number
  readonly rendered: boolean
}

/** Implementation of each tool. */
type ToolHandlers = {
  readonly [Name in ToolName]: (
    args: ToolArguments<Name>,
    call: AgentToolCall,
  ) => Promise<Outcome<Name>>
}

const WAIT_SECONDS = 20
const CRAWL = {
  paths: [
    ['recipe.start.urls.0', 'url'],
    ['recipe.start.urls', 'url'],
    ['recipe.crawl', ''],
    ['recipe.budget.pages', 'maxPages'],
  ],
} as const
const TEMPLATE = {
  paths: [
    ['params', 'params'],
    ['budget.pages', 'maxPages'],
  ],
  absent: 'This template was not found: search_templates returns the ids of all templates',
} as const
const RUN = {
  absent:
    'This run was not found in this account: crawl and run_template return the runId of the ' +
    'runs that they start',
} as const

/** Implements the six tools. */
export function createTools({
  executions,
  templates,
  memory,
  finder,
  inspections,
  readPage,
  canRender,
  demandCredits,
  demandRun,
}: {
  readonly executions: Executions
  readonly templates: Templates
  readonly memory: PageMemory
  readonly finder: Finder
  /** Semaphore for reading and finding pages. */
  readonly inspections: FairGate
  readonly readPage: PageReader
  /** True if a browser can run the scripts of a page without text. */
  readonly canRender: boolean
  /** @throws {PlatformError} 402 if the account cannot pay for a page */
  readonly demandCredits: (account: string) => Promise<void>
  /** @throws {PlatformError} 403 if the caller may not see the run */
  readonly demandRun: (
    principal: Principal,
    execution: AgenticRun,
    preconditions: Preconditions,
  ) => void
}): ToolHandlers {
  return {
    // The search first indexes the pages that were crawled since the last search. There may be a
    // thousand of them.
    search: async ({ query }, { principal, signal }) => ({
      result: {
        results: await inspections.run(
          principal.account,
          () => finder.find(principal, query, signal),
          signal,
        ),
      },
      execution: null,
    }),

    async fetch({ id, url }, { principal: { account }, now, signal }) {
      const address = url ?? id ?? ''
      if (id !== undefined && isPageId(id))
        return { result: await memory.part(account, id), execution: null }
      await demandCredits(account)
      const page = await inspections.run(
        account,
        () => readPage({ address, argument: url === undefined ? 'id' : 'url' }, account, signal),
        signal,
      )
      const { part, write } = memory.keep(account, page, now)
      await memory.tidy(account, part.id)
      return { result: part, execution: null, write, page }
    },

    async crawl(
      {
        url: address,
        scope = 'path',
        maxPages = CRAWL_PAGES,
        maxDepth = 3,
        include,
        exclude,
        waitSeconds = WAIT_SECONDS,
        ifAbandoned,
      },
      { principal, preconditions },
    ) {
      const url = normaliseUrl(address)
      if (url === null)
        throw badRequest([{ path: 'arguments.url', message: 'must be an http or https URL' }])
      const recipe: RecipeInput = {
        // Braces are escaped: in a recipe they expand to several URLs, in an address they are plain
        // characters.
        start: { urls: [url.replaceAll('{', '%7B').replaceAll('}', '%7D')] },
        crawl: {
          scope,
          maxPages,
          maxDepth,
          ...(include && { include }),
          ...(exclude && { exclude }),
        },
        extract: { fields: { url: { url: true }, title: ['title', 'h1'] } },
        formats: ['markdown'],
        ...(canRender && { page: { render: 'auto' } }),
        budget: { pages: maxPages },
      }
      return {
        result: null,
        execution: await inToolWords(executions.run(principal, { recipe }, preconditions), CRAWL),
        waitSeconds,
        endsWithCall: ifAbandoned === 'cancel',
      }
    },

    async search_templates({ query, limit = 5, cursor }) {
      const { items, nextCursor } = await templates.list({
        limit,
        ...(query !== undefined && { q: query }),
        ...(cursor !== undefined && { cursor }),
      })
      const summaries = items.map(({ id, name, description, parameters, columns, price }) => ({
        id,
        name,
        description,
        parameters: { ...parameters },
        columns: columns && columns.map((column) => ({ ...column })),
        creditsPerPage: price.creditsPerPage,
      }))
      return { result: { templates: summaries, nextCursor }, execution: null }
    },

    async run_template(
      {
        id,
        params: values,
        validateOnly = false,
        maxPages,
        waitSeconds = WAIT_SECONDS,
        ifAbandoned,
      },
      { principal, preconditions },
    ) {
      const params = jsonOf(values)
      if (validateOnly) {
        await inToolWords(templates.fill(id, params), TEMPLATE)
        return { result: { valid: true, run: null }, execution: null }
      }
      return {
        result: null,
        execution: await inToolWords(
          templates.run(
            principal,
            id,
            { params, ...(maxPages !== undefined && { budget: { pages: maxPages } }) },
            preconditions,
          ),
          TEMPLATE,
        ),
        waitSeconds,
        endsWithCall: ifAbandoned === 'cancel',
      }
    },

    async get_run({ runId, waitSeconds = 0 }, { principal, preconditions }) {
      const execution = await inToolWords(executions.get(principal, runId), RUN)
      if (execution.taskId !== null) throw new PlatformError('NOT_FOUND', RUN.absent)
      demandRun(principal, execution, preconditions)
      return { result: null, execution, waitSeconds, endsWithCall: false }
    },
  }
}

function jsonOf(values: { readonly [name: string]: unknown }): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Json] => isJson(entry[1])),
  )
}

/** Passes on a service's answer. An error is translated to the arguments of the tool. */
async function inToolWords<T>(
  answer: Promise<T>,
  {
    paths = [],
    absent,
  }: {
    /**
     * Start of a path in the service → the argument of the tool from which its value comes. The
     * first match counts.
     */
    readonly paths?: readonly (readonly [theirs: string, argument: string])[]
    /** Message for "not found": what was not found, and where its id comes from. */
    readonly absent?: string
  },
): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.issues.length > 0) throw withPaths(error, (path) => argumentOf(path, paths))
    if (error.code === 'NOT_FOUND' && absent !== undefined)
      throw new PlatformError('NOT_FOUND', absent)
    throw error
  }
}

function argumentOf(path: string, paths: readonly (readonly [string, string])[]): string {
  const match = paths.find(([prefix]) => path === prefix || path.startsWith(`${prefix}.`))
  if (!match) return path
  const [prefix, argument] = match
  const rest = path.slice(prefix.length)
  return argument === '' ? `arguments${rest}` : `arguments.${argument}${rest}`
}
