import type { createServiceHost } from '../service-host.ts'

/** Paths whose ids name what belongs to nobody. */
export const PUBLIC_IDS = /^\/api\/v1\/templates\//

/** Reads whose answer holds nothing that an account has written. */
export const NOTHING_OWN: ReadonlySet<string> = new Set([
  'mcp.tools',
  'analytics.summary',
  'analytics.series',
  'analytics.executions',
  'operator.runs',
  'operator.stuck',
  'operator.workers',
  'operator.health',
  'operator.log',
  'operator.verify',
])

/** In every field of account `acme` that a caller can fill; no answer to anybody else may hold it. */
export const CANARY = 'canary-7f3a'

/** The parts of a request for an operation. */
export interface RouteRequest {
  /** Path parameters: ids of records of the account. */
  readonly params?: Readonly<Record<string, string>>
  /** Ids that the query names. */
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Of a list: a cursor that belongs to the account. */
  readonly cursor?: string
}

/** Records of the account `acme`, with a canary in every field. */
export interface Seeded {
  readonly host: Awaited<ReturnType<typeof createServiceHost>>
  readonly task: string
  readonly idle: string
  readonly execution: string
  readonly paused: string
  readonly finished: string
  /** Of the idle task; it proposes another source for its column. */
  readonly drifted: string
  readonly key: string
  /** With items and changes; a task names it. */
  readonly dataset: string
  /** Without a task. */
  readonly spare: string
  readonly media: string
  readonly webhook: string
  readonly delivery: string
  readonly topUp: string
  /** A call of the tool `search`. */
  readonly agentic: string
  /** A kept page. */
  readonly snapshot: string
  cursor(path: string): Promise<string>
}

export const CANARY_RECIPE = {
  start: { urls: [`https://${CANARY}.example.com/`] },
  page: { headers: { 'X-Own': CANARY } },
  extract: { items: `.${CANARY}`, fields: { title: `.${CANARY}-title` } },
}

/** The address of an operation's request. */
export function addressOf(path: string, { params = {}, query = {} }: RouteRequest): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  return Object.keys(query).length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`
}

/** The request of a link to media. */
export function requestOfLink(link: string): RouteRequest {
  const { pathname, searchParams } = new URL(link)
  const [, , owner = '', sha256 = '', name = ''] = pathname.split('/')
  return { params: { owner, sha256, name }, query: { token: searchParams.get('token') ?? '' } }
}
