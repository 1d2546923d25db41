import { defineRoute } from '../../kernel/route.ts'
import type { AnyRoute } from '../../kernel/route.ts'
import { linkBase } from '../common/link-base.ts'
import { idParamsSchema, pageSchema } from '../list-schema.ts'
import { AGENTIC_EXAMPLES } from './examples.ts'
import { agenticExecutionSchema, agenticInputSchema, toolSchema } from './schema.ts'
import type { Agentic } from './service.ts'

const ANY_SCOPE = { scope: 'mcp:search', otherScopes: ['mcp:fetch', 'mcp:crawl', 'mcp:templates'] } as const

/** The agents' part of the route table: what the MCP endpoint calls, and agents of one's own may (spec 4, design 9). */
export function agenticRoutes(agentic: Agentic): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/v1/mcp/tools', operation: 'mcp.tools', summary: 'Lists the tools that the credential may use', ...ANY_SCOPE, limit: 'mcp',
      data: pageSchema(toolSchema),
      example: AGENTIC_EXAMPLES.tools,
      handler: ({ principal }) => agentic.tools(principal),
    }),
    defineRoute({
      method: 'POST', path: '/api/v1/mcp/agentic-executions', operation: 'mcp.call', summary: 'Calls a tool', ...ANY_SCOPE, limit: 'mcp',
      body: agenticInputSchema, data: agenticExecutionSchema, status: 201,
      errors: ['PAYMENT_REQUIRED', 'NOT_FOUND', 'UNPROCESSABLE_CONTENT', 'TOO_MANY_REQUESTS'],
      description: 'Each tool asks for a scope of its own: `search` for `mcp:search`, `fetch` for `mcp:fetch`, `crawl` for `mcp:crawl`, `search_templates` and `run_template` for `mcp:templates`, `get_run` for that of the tool that began the run. Tools that begin a run wait for its end, `waitSeconds` at most. With `Idempotency-Key` the answer tells the run as it was when it began.',
      example: AGENTIC_EXAMPLES.call,
      handler: ({ principal, body, request, terms }) => agentic.call(principal, body, { signal: request.signal, base: linkBase(request.url) }, terms),
    }),
    defineRoute({
      method: 'GET', path: '/api/v1/mcp/agentic-executions/:id', operation: 'mcp.read', summary: 'Reads a call of a tool', ...ANY_SCOPE, limit: 'mcp',
      params: idParamsSchema, data: agenticExecutionSchema,
      description: 'Of a tool that began a run the answer is the run as it is now. Needs the scope of the tool. Calls are kept for a day.',
      example: AGENTIC_EXAMPLES.read,
      handler: ({ principal, params, request }) => agentic.read(principal, params.id, { base: linkBase(request.url) }),
    }),
  ]
}
