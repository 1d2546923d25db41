import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { EXTENDED, isExtended } from '../../features/agentic/extended-tool-schema.ts'
import type { ExtendedName } from '../../features/agentic/extended-tool-schema.ts'
import { listed } from '../../features/agentic/tool-list.ts'
import { TOOLS } from '../../features/agentic/tool-schema.ts'
import { grants } from '../../kernel/scope.ts'
import type { Scope } from '../../kernel/scope.ts'
import type { Outgoing } from '../../kernel/http/message.ts'
import { failed, unknownTool } from '../tool-error.ts'
import type { ServiceRequest } from '../api-tools.ts'
import type { RateHeaders, Refusal, ToolService } from '../tool-service.ts'
import { Api, ApiRefusal } from './api.ts'
import { offeredTools } from './offered-tools.ts'
import type { OfferedTools } from './offered-tools.ts'
import { runTool } from './run-tool.ts'

/** The standard tools, each with its scopes. A caller needs one of them. */
const STANDARD: ReadonlyMap<string, readonly Scope[]> = new Map(
  Object.entries(TOOLS).map(([name, { scopes }]) => [name, scopes]),
)

/**
 * The standard tools, and the chosen extended ones. The extended tools call other routes of the
 * same API with the caller's own credential, so they can do only what the caller may do.
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
  const offered = offeredTools(names)
  return {
    ...service,
    async list(caller) {
      const standard = await service.list(caller)
      if (standard.refusal?.status === 401 || standard.refusal?.status === 429) return standard
      const api = new Api(baseUrl, send, caller)
      const granted = more.length === 0 ? [] : await scopesOf(api)
      if ('refusal' in granted) return { ...granted, tools: [] }
      const own = more.filter((name) => mayUse(name, granted)).map(toolOf)
      const all = [...standard.tools, ...own].filter(({ name }) => offered.has(name))
      // A key for extended tools alone has none of the scopes of the six.
      const refusal = all.length === 0 ? standard.refusal : null
      return { ...standard, refusal, tools: all }
    },
    async call(caller, tool, args) {
      if (!offered.has(tool)) {
        // An unknown caller gets no information, and a known caller's call is counted.
        const { refusal, rates = {} } = await service.list(caller)
        const message = unknownTool(tool)
        const result = failed(message)
        return refusal !== null && refusal.status !== 403
          ? { refusal, rates, result }
          : {
              refusal: null,
              rates,
              result,
              error: { code: -32_602, message },
            }
      }
      if (!isExtended(tool)) {
        const outcome = await service.call(caller, tool, args)
        return outcome.result.isError === true
          ? { ...outcome, result: offered.failure(outcome.result) }
          : outcome
      }
      const api = new Api(baseUrl, send, caller)
      const offeredFor = async (text: string): Promise<OfferedTools> => {
        if (!offered.namesOther(tool, text)) return offered
        // The request has another rate limit than the call. The tool has already done its work, so
        // an error here must not make its result a failure.
        const granted = await scopesOf(new Api(baseUrl, send, caller)).catch(() => null)
        return granted === null || 'refusal' in granted
          ? offered
          : offeredTools(usableOf(names, granted))
      }
      const outcome = await runTool(api, { name: tool, args, offeredFor })
      const { refusal } = outcome
      if (!api.hasAsked) {
        // The arguments were refused without a request. An unknown caller gets no information, and
        // a known caller's call is counted.
        const { refusal: own, rates = {} } = await service.list(caller)
        return { ...outcome, refusal: own?.status === 403 ? null : own, rates }
      }
      if (refusal?.status !== 403) return outcome
      const granted = await scopesOf(api)
      if ('refusal' in granted || refusal.challenge === null) return outcome
      // A caller that may use the tool gets no challenge, because the result names the missing
      // scope.
      if (mayUse(tool, granted)) return { ...outcome, refusal: null }
      return { ...outcome, refusal: { ...refusal, challenge: challengeFor(tool) } }
    },
  }
}

/** The scopes of a caller, or the reason for its refusal. */
async function scopesOf(
  api: Api,
): Promise<readonly string[] | { readonly refusal: Refusal; readonly rates: RateHeaders }> {
  try {
    const { scopes } = await api.ask({ method: 'GET', path: '/me' })
    return Array.isArray(scopes) ? scopes.map(String) : []
  } catch (error) {
    if (error instanceof ApiRefusal && error.refusal)
      return { refusal: error.refusal, rates: error.rates }
    throw error
  }
}

function mayUse(name: ExtendedName, granted: readonly string[]): boolean {
  return EXTENDED[name].scopes.every((some) => some.some((scope) => grants(granted, scope)))
}

/** The names of tools that a caller may use. */
function usableOf(names: readonly string[], granted: readonly string[]): readonly string[] {
  return names.filter((name) =>
    isExtended(name)
      ? mayUse(name, granted)
      : STANDARD.get(name)?.some((scope) => grants(granted, scope)),
  )
}

/**
 * Names all scopes that the tool needs. If there is a choice, it names the scope that agents can
 * get.
 */
function challengeFor(name: ExtendedName): string {
  const needed = EXTENDED[name].scopes.map(
    (some) => some.find((scope) => scope.startsWith('mcp:')) ?? some[0],
  )
  return `Bearer error="insufficient_scope", scope="${needed.join(' ')}"`
}

/** Tools as clients see them. Each is made from its schemas once. */
const tools = new Map<ExtendedName, Tool>()

function toolOf(name: ExtendedName): Tool {
  const present = tools.get(name)
  if (present) return present
  const { inputSchema, outputSchema, ...tool } = listed(name, EXTENDED[name])
  const made: Tool = {
    ...tool,
    inputSchema: { ...inputSchema, type: 'object' },
    outputSchema: { ...outputSchema, type: 'object' },
  }
  tools.set(name, made)
  return made
}
