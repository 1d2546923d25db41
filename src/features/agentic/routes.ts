import { accepts } from '../../kernel/http/headers.ts'
import { EVENT_STREAM } from '../../kernel/http/event-stream.ts'
import type { RequestHeaders } from '../../kernel/http/message.ts'
import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import type { Clock } from '../../ports/clock.ts'
import { idParamsSchema, countedPageSchema, pageSchema } from '../common/list-schema.ts'
import { agenticInputSchema, agenticQuerySchema } from './schema.ts'
import type { Agentic, AgenticInput } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const ANY_SCOPE = {
  scope: 'mcp:search',
  otherScopes: ['mcp:fetch', 'mcp:crawl', 'mcp:templates'],
} as const

const example = examplesFrom(async () => (await import('./examples.ts')).AGENTIC_EXAMPLES)

/**
 * The routes of agents' tools. The MCP endpoint calls them, and an application's own agents may
 * call them too.
 */
export function agenticRoutes(agentic: Agentic, clock: Clock): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/mcp/tools',
      operation: 'mcp.tools',
      summary: 'Lists the tools that the credential may use',
      ...ANY_SCOPE,
      limit: 'mcp',
      data: answer((all) => pageSchema(all.toolSchema)),
      example: example('tools'),
      handler: ({ principal }) => agentic.tools(principal),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/mcp/agentic-executions',
      operation: 'mcp.call',
      summary: 'Calls a tool',
      ...ANY_SCOPE,
      limit: 'mcp',
      body: agenticInputSchema,
      data: answer((all) => all.agenticExecutionSchema),
      status: 201,
      audited: startsRun,
      errors: [
        'PAYMENT_REQUIRED',
        'NOT_FOUND',
        'UNPROCESSABLE_CONTENT',
        'TOO_MANY_REQUESTS',
        'SERVICE_UNAVAILABLE',
      ],
      description:
        'Each tool needs its own scope: `search` needs `mcp:search`, `fetch` `mcp:fetch`, ' +
        '`crawl` `mcp:crawl`, `search_templates` and `run_template` `mcp:templates`, and ' +
        '`get_run` the scope of the tool that started the run. `search` shows only pages that ' +
        'the credential may read: of runs of tasks with `executions:read`, of crawls of agents ' +
        'with `mcp:crawl`, of runs of templates with `mcp:templates`. Tools that start a run ' +
        'wait for its end, at most `waitSeconds`. With `Idempotency-Key` such a call is ' +
        'answered at once with the new run, and a repetition gets the same answer: wait for ' +
        'the end with `get_run`.\n\nIf the caller disconnects, the waiting ends at once; the ' +
        'argument `ifAbandoned` decides whether the run continues. If `Accept` allows ' +
        '`text/event-stream` but not JSON, and there is no `Idempotency-Key`, a call that ' +
        'waits for a run returns a stream: `progress` events as more pages are done (`{ ' +
        'progress, total, message }`), then `result` with the data of the JSON response, or ' +
        '`error` (`{ code, message, issues }`). A call that does not wait, or is refused, is ' +
        'answered with JSON.',
      raw: {
        contents: { [EVENT_STREAM]: PROGRESS_EXAMPLE },
        headers: { 'X-Accel-Buffering': 'Tells proxies not to buffer events.' },
      },
      example: example('call'),
      async handler({ principal, body, headers, base, signal, holdsStream, preconditions }) {
        if (!wantsStream(headers))
          return agentic.call(
            principal,
            body,
            { base, signal, holdsStream, once: headers.has('idempotency-key') },
            preconditions,
          )
        const { streamCall } = await import('./stream-call.ts')
        return streamCall(
          (watched) => agentic.call(principal, body, { base, ...watched }, preconditions),
          {
            signal,
            clock,
          },
        )
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/mcp/agentic-executions',
      operation: 'mcp.list',
      summary: 'Lists the calls of tools, newest first',
      scope: 'audit:read',
      limit: 'mcp',
      query: agenticQuerySchema,
      data: answer((all) => countedPageSchema(all.agenticCallSchema)),
      description:
        'Each call has one entry: tool, caller, outcome and what its page cost, without its ' +
        'arguments. Entries are kept for 90 days, unless the operator changes that.',
      example: example('list'),
      handler: ({ principal, query }) => agentic.list(principal, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/mcp/agentic-executions/:id',
      operation: 'mcp.get',
      summary: 'Reads a call of a tool',
      ...ANY_SCOPE,
      limit: 'mcp',
      params: idParamsSchema,
      data: answer((all) => all.agenticExecutionSchema),
      description:
        "For a tool that started a run, the result is the run's current state. Needs the scope " +
        'of the tool. The call is deleted at `expiresAt`, a day later unless the operator changes that.',
      example: example('get'),
      handler: ({ principal, params, base }) => agentic.get(principal, params.id, { base }),
    }),
  ]
}

/**
 * True if the caller asks for a stream. The default is JSON, also if the response is stored for a
 * repetition.
 */
function wantsStream(headers: RequestHeaders): boolean {
  const acceptHeader = headers.get('accept')
  return (
    accepts(acceptHeader, EVENT_STREAM) &&
    !accepts(acceptHeader, 'application/json') &&
    !headers.has('idempotency-key')
  )
}

/** A short stream, for the documentation. */
const PROGRESS_EXAMPLE = `event: progress
data: {"progress":3,"total":20,"message":"exec_01K3AA1C5D9F3H7K2M6P8R0T4V is running: 3 of 20 known pages done, 3 rows"}

event: result
data: {"id":"agx_01K3AA1C5D9F3H7K2M6P8R0T4V","tool":"crawl","executionId":"exec_01K3AA1C5D9F3H7K2M6P8R0T4V"}

`

/**
 * There are very many calls of tools that only read, and they change nothing. The price of a
 * `fetch` is in the ledger.
 */
function startsRun({ tool, arguments: args = {} }: AgenticInput): boolean {
  return tool === 'crawl' || (tool === 'run_template' && args['validateOnly'] !== true)
}
