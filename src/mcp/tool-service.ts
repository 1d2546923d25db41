/** The caller's own credential, as it came. */
export type Credential = Readonly<Record<string, string>>

/** What an answer of the Task Service comes to. `data` and `error` are those of its envelope (spec part 2). */
export interface ServiceAnswer {
  readonly status: number
  readonly headers: Headers
  readonly data: { readonly [name: string]: unknown } | null
  readonly error: { readonly code: string; readonly message: string; readonly issues: readonly string[] } | null
}

/** The Task Service, as the endpoint calls it. */
export interface ToolService {
  /** The tools that the credential may use. */
  list(credential: Credential, signal: AbortSignal): Promise<ServiceAnswer>
  call(credential: Credential, tool: string, given: unknown, signal: AbortSignal): Promise<ServiceAnswer>
}

/** How to reach the Task Service. */
export interface ToolServiceOptions {
  /** Where it is, without `/api/v1`. */
  readonly baseUrl: string
  readonly send: (request: Request) => Promise<Response>
}

const JSON_BODY = { 'content-type': 'application/json' }

/** Calls the Task Service with the caller's own credential, and with nothing else of the caller's. */
export function createToolService({ baseUrl, send }: ToolServiceOptions): ToolService {
  const root = `${baseUrl.replace(/\/+$/, '')}/api/v1/mcp`
  const ask = async (path: string, init: RequestInit): Promise<ServiceAnswer> => {
    const response = await send(new Request(`${root}${path}`, init))
    const body = objectOf(await response.json().catch(() => null))
    const error = objectOf(body?.['error'])
    return {
      status: response.status,
      headers: response.headers,
      data: response.ok ? objectOf(body?.['data']) : null,
      error: error && { code: textOf(error['code']), message: textOf(error['message']), issues: issuesOf(error['issues']) },
    }
  }
  return {
    list: (credential, signal) => ask('/tools', { headers: credential, signal }),
    call: (credential, tool, given, signal) => ask('/agentic-executions', { method: 'POST', headers: { ...credential, ...JSON_BODY }, body: JSON.stringify({ tool, ...(given !== undefined && { arguments: given }) }), signal }),
  }
}

function issuesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(objectOf).map((issue) => `${textOf(issue?.['path'])}: ${textOf(issue?.['message'])}`) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A value as an object, if it is one. */
export function objectOf(value: unknown): { readonly [name: string]: unknown } | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : null
}
