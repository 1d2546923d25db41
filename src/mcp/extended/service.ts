import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { EXTENDED, isExtended } from '../../features/agentic/extended-tool-schema.ts'
import type { ExtendedName } from '../../features/agentic/extended-tool-schema.ts'
import { listed } from '../../features/agentic/tool-list.ts'
import { grants } from '../../kernel/scope.ts'
import type { Outgoing } from '../../kernel/http/message.ts'
import { failed } from '../tool-error.ts'
import type { ServiceRequest } from '../task-service.ts'
import type { ToolService } from '../tool-service.ts'
import { Api } from './api.ts'
import { runTool } from './run-tool.ts'

/**
 * The Task Service with a choice of tools. Those beside the six ask other routes of the same
 * service, with the caller's own credential, so they may do what the caller may.
 */
export function withChosenTools(
  service: ToolService,
  {
    names,
    baseUrl,
    send,
  }: {
    readonly names: readonly string[]
    /** URL of the service, without `/api/v1`. */
    readonly baseUrl: string
    readonly send: (request: ServiceRequest) => Promise<Outgoing>
  },
): ToolService {
  const more = names.filter(isExtended)
  return {
    ...service,
    async list(caller) {
      const standard = await service.list(caller)
      if (standard.refusal?.status === 401 || standard.refusal?.status === 429) return standard
      const api = new Api(baseUrl, send, caller)
      const { scopes } = more.length === 0 ? {} : await api.ask({ method: 'GET', path: '/me' })
      const granted = Array.isArray(scopes) ? scopes.map(String) : []
      const own = more.filter((name) => mayUse(name, granted)).map(toolOf)
      const tools = [...standard.tools.filter(({ name }) => names.includes(name)), ...own]
      // A key for other tools alone has none of the scopes of the six.
      return tools.length === 0 ? standard : { ...standard, refusal: null, tools }
    },
    async call(caller, tool, args) {
      // A client that polls for a task reads its run, whatever tools it has chosen.
      if (!names.includes(tool) && !(tool === 'get_run' && names.some(startsRuns)))
        return {
          refusal: null,
          result: failed(`Unknown tool: ${tool}`),
          error: { code: -32_602, message: `Unknown tool: ${tool.slice(0, 100)}` },
        }
      if (!isExtended(tool)) return service.call(caller, tool, args)
      const api = new Api(baseUrl, send, caller)
      const result = await runTool(api, tool, args)
      return { refusal: null, result, rates: api.rates }
    },
  }
}

function startsRuns(name: string): boolean {
  return name === 'crawl' || name === 'run_template'
}

function mayUse(name: ExtendedName, granted: readonly string[]): boolean {
  return EXTENDED[name].scopes.every((some) => some.some((scope) => grants(granted, scope)))
}

/** A tool as clients see it. */
function toolOf(name: ExtendedName): Tool {
  const { inputSchema, outputSchema, ...tool } = listed(name, EXTENDED[name])
  return {
    ...tool,
    inputSchema: { ...inputSchema, type: 'object' },
    outputSchema: { ...outputSchema, type: 'object' },
  }
}
