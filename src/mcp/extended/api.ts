import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Outgoing } from '../../kernel/http/message.ts'
import type { ServiceRequest } from '../api-tools.ts'
import { readAnswer } from '../read-answer.ts'
import type { Credential, RateHeaders, Refusal } from '../tool-service.ts'

type Data = { readonly [name: string]: unknown }

/** A call of the API that was refused. */
export class ApiRefusal extends Error {
  readonly refusal: Refusal | null
  readonly result: CallToolResult
  readonly rates: RateHeaders
  /** Status of HTTP. */
  readonly status: number

  constructor(
    status: number,
    facts: {
      readonly refusal: Refusal | null
      readonly failure: CallToolResult
      readonly rates: RateHeaders
    },
  ) {
    super(`The service answered ${status}`)
    this.status = status
    this.refusal = facts.refusal
    this.result = facts.failure
    this.rates = facts.rates
  }
}

/** Why a tool has no result, as a text for an agent. */
export class ToolFailure extends Error {}

/** A question to the API. */
export interface Question {
  readonly method: ServiceRequest['method']
  /** Below `/api/v1`. */
  readonly path: string
  /** Absent members are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: object
}

/**
 * Calls the API as the caller: with the caller's own credential, at the same routes as any other
 * client.
 */
export class Api {
  /** Headers of the latest answer. */
  rates: RateHeaders = {}
  /** True after the first request, which checks the credential and counts for the rate. */
  hasAsked = false
  readonly #root: string
  readonly #send: (request: ServiceRequest) => Promise<Outgoing>
  readonly #caller: { readonly credential: Credential; readonly signal: AbortSignal }

  constructor(
    root: string,
    send: (request: ServiceRequest) => Promise<Outgoing>,
    caller: { readonly credential: Credential; readonly signal: AbortSignal },
  ) {
    this.#root = root
    this.#send = send
    this.#caller = caller
  }

  /** @throws {ApiRefusal} with what to tell the agent */
  async ask({ method, path, query = {}, body }: Question): Promise<Data> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value))
    const { credential, signal } = this.#caller
    this.hasAsked = true
    const answer = await this.#send({
      method,
      url: `${this.#root}/api/v1${path}${search.size > 0 ? `?${search}` : ''}`,
      headers: {
        ...credential,
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : null,
      signal,
    })
    const read = await readAnswer(answer)
    this.rates = read.rates
    if (read.data === null || read.refusal) throw new ApiRefusal(answer.status, read)
    return read.data
  }
}
