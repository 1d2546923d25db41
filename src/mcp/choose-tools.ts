import type { Outgoing } from '../kernel/http/message.ts'
import type { ServiceRequest } from './api-tools.ts'
import { TOOL_NAMES } from './tool-names.ts'
import type { ToolChoice } from './tool-names.ts'
import type { ToolService } from './tool-service.ts'

/** The default tools of a host: the six standard ones. */
const STANDARD: readonly string[] = TOOL_NAMES.slice(0, 6)

/**
 * The service with the tools of one request: those that the host offers, or those of them that
 * `?tools=` names (names separated by commas; `extended` for all). `problem` names a tool that the
 * host does not offer.
 */
export async function choose(
  service: ToolService,
  {
    choice,
    url,
    baseUrl,
    send,
  }: {
    readonly choice: ToolChoice | undefined
    /** URL of the request. */
    readonly url: string
    /** URL of the API, without `/api/v1`. */
    readonly baseUrl: string
    readonly send: (request: ServiceRequest) => Promise<Outgoing>
  },
): Promise<ToolService> {
  const offered =
    choice === 'extended' ? TOOL_NAMES : choice === undefined ? STANDARD : complete(choice)
  const chosen = namesIn(url) ?? offered
  const foreign = chosen.find((name) => !offered.includes(name))
  if (foreign !== undefined)
    return {
      ...service,
      problem:
        `tools in the URL names ${foreign.slice(0, 60)}, which is not offered here; these are: ` +
        offered.join(', '),
    }
  const names = chosen === STANDARD ? STANDARD : complete(chosen)
  // Most requests need the six, and load nothing more.
  if (names === STANDARD) return service
  const { withChosenTools } = await import('./extended/service.ts')
  return withChosenTools(service, { names, baseUrl, send })
}

/** The tools that a URL names; `null`: it names no tools, or all. */
function namesIn(url: string): readonly string[] | null {
  const start = url.indexOf('?')
  const text = start < 0 ? null : new URLSearchParams(url.slice(start)).get('tools')
  if (text === null || text === '' || text === 'extended') return null
  return text.split(',').map((name) => name.trim())
}

/**
 * The names in the order of the tables. `get_run` is added if only it can read the runs of a chosen
 * tool.
 */
function complete(names: readonly string[]): readonly string[] {
  const startsRuns = names.includes('crawl') || names.includes('run_template')
  return TOOL_NAMES.filter((name) => names.includes(name) || (name === 'get_run' && startsRuns))
}
