import type { Json } from '../kernel/json.ts'

/** A question to a model. */
export interface ModelRequest {
  /** The instructions of the platform and of the recipe. */
  readonly instructions: string
  /**
   * JSON Schema of the answer, of what endpoints of structured output take: objects that are closed
   * and require all of their properties, lists, strings, numbers, integers and booleans, each or
   * `null`, with descriptions.
   */
  readonly schema: { readonly [keyword: string]: Json }
  /** The text to read. It comes from a page, so the model must not follow instructions in it. */
  readonly text: string
  readonly signal: AbortSignal
}

/** The answer of a model. */
export interface ModelAnswer {
  /** As the model gave it: that it follows the schema is for the caller to check. */
  readonly json: Json
  /** Tokens that were read; `null` where the endpoint does not say. */
  readonly inputTokens: number | null
  /** Tokens that were written; `null` where the endpoint does not say. */
  readonly outputTokens: number | null
}

/**
 * Reads a text and answers in JSON. `createOpenAiModel` of `seine/openai` is such; a host's own is
 * an object with a function.
 *
 * @example
 *   const own: Model = {
 *     ask: async ({ text }) => ({
 *       json: { title: text.slice(0, 20) },
 *       inputTokens: null,
 *       outputTokens: null,
 *     }),
 *   }
 *   const platform = createPlatform({ model: own })
 */
export interface Model {
  /**
   * Answers one question. Nothing is remembered between calls.
   *
   * @throws {ModelFailure} with a message for callers; other errors stay in the log.
   *   The signal's reason once that aborts.
   */
  ask(request: ModelRequest): Promise<ModelAnswer>
  /** Closes everything that it opened. Idempotent. Absent: nothing to close. */
  close?(): Promise<void>
}

/**
 * A model that needs the platform's egress. `createPlatform` creates it once and does not catch its
 * errors: wrong options show when the application starts.
 */
export interface ModelFactory {
  create(services: ModelServices): Model
}

/** Services of the platform for a {@link ModelFactory}. */
export interface ModelServices {
  /**
   * A way to ask one endpoint that the host itself named. It leaves through the platform's egress,
   * so the address guard and the host's own fetcher hold for it: 2 MiB, no redirects. What is busy
   * or out of order for a moment (408, 429, 5xx, no connection) is tried three times, as late as
   * `Retry-After` says.
   *
   * @throws {TypeError} for a URL that may not be asked; the message says what to do
   */
  endpoint(url: URL, options?: ModelEndpointOptions): AskModelEndpoint
}

/** Options of {@link ModelServices.endpoint}. */
export interface ModelEndpointOptions {
  /**
   * The URL's host, named once more: it may then be on a private network and be asked over `http:`.
   * Default: public and `https:`.
   */
  readonly privateHost?: string
  /** Sent with every request, such as the one that holds a key. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The answer of an endpoint. */
export interface ModelEndpointAnswer {
  readonly status: number
  readonly text: string
}

/**
 * Sends one POST of JSON; gives any answer but that of a status which was tried again in vain.
 *
 * @throws {ModelFailure}
 */
export type AskModelEndpoint = (body: Json, signal: AbortSignal) => Promise<ModelEndpointAnswer>
