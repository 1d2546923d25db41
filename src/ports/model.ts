import type { Json } from '../kernel/json.ts'

/** A question to a model. */
export interface ModelRequest {
  /** The instructions of the platform and of the recipe. */
  readonly instructions: string
  /**
   * JSON Schema of the answer. It uses only what endpoints with structured output accept: closed
   * objects that require all of their properties, lists, strings, numbers, integers and booleans.
   * Each may be `null` and have a description.
   */
  readonly schema: { readonly [keyword: string]: Json }
  /** The text to read. It comes from a page, so the model must not follow instructions in it. */
  readonly text: string
  readonly signal: AbortSignal
}

/** The answer of a model. */
export interface ModelAnswer {
  /** The answer as the model gave it. The caller must check that it follows the schema. */
  readonly json: Json
  /** Number of tokens that the model read. `null`: the endpoint does not report it. */
  readonly inputTokens: number | null
  /** Number of tokens that the model wrote. `null`: the endpoint does not report it. */
  readonly outputTokens: number | null
}

/**
 * Reads a text and answers in JSON. `createOpenAiModel` of `seine/openai` makes one. A model of
 * your own is an object with a function.
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
   * The identity of the model, such as its address and its name. Its answers are remembered for a
   * week. A model with another identity is asked anew. Default: all models without an identity
   * count as one.
   */
  readonly name?: string
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
   * Returns a function that calls one endpoint of the host's choice. Calls pass the platform's
   * egress, so the address guard and the host's own fetcher apply. An answer has at most 2 MiB, and
   * redirects are not followed. If the endpoint is busy or fails for a moment (408, 429, 5xx, no
   * connection), the call is tried three times, with the pause that `Retry-After` asks for.
   *
   * @throws {TypeError} for a URL that is not allowed; the message says what to do
   */
  endpoint(url: URL, options?: ModelEndpointOptions): AskModelEndpoint
}

/** Options of {@link ModelServices.endpoint}. */
export interface ModelEndpointOptions {
  /**
   * The URL's host once more. It allows a private network and `http:`. Default: only public
   * addresses and `https:`.
   */
  readonly privateHost?: string
  /** Headers of every request, such as one with a key. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The answer of an endpoint. */
export interface ModelEndpointAnswer {
  readonly status: number
  readonly text: string
}

/**
 * Sends one POST of JSON and returns the answer, with any status that is not tried again.
 *
 * @throws {ModelFailure}
 */
export type AskModelEndpoint = (body: Json, signal: AbortSignal) => Promise<ModelEndpointAnswer>
