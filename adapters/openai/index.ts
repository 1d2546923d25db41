import {
  address,
  checkOptions,
  json,
  mapOf,
  nonEmpty,
  oneOf,
  plainText,
  required,
  textLike,
} from '../../src/kernel/options.ts'
import type { Json } from '../../src/kernel/json.ts'
import { ModelFailure } from '../../src/kernel/failures.ts'
import type { ModelAnswer, ModelFactory, ModelRequest } from '../../src/ports/model.ts'
import { readCompletion } from './read-completion.ts'

/** Options of {@link createOpenAiModel}. */
export interface OpenAiModelOptions {
  /**
   * Address of the API without `/chat/completions`, such as `https://api.openai.com/v1` or
   * `http://localhost:11434/v1`.
   */
  readonly baseUrl: URL | string
  /** Sent as a bearer token, and never part of a message. Absent: no token is sent. */
  readonly apiKey?: string
  /** The endpoint's name of the model. */
  readonly model: string
  /**
   * The endpoint's host again: it may then be on a private network and use `http:`. Default: public
   * and `https:`.
   */
  readonly privateHost?: string
  /** Headers of every request, such as those that a proxy needs. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Further members of every request, such as `{ temperature: 0 }` or `{ reasoning_effort: 'low'
   * }`. Default: none, because not every model accepts them.
   */
  readonly parameters?: { readonly [name: string]: Json }
  /**
   * How JSON is requested. Default: by schema; if the endpoint does not support that, as any JSON;
   * if it does not support that either, in words.
   */
  readonly format?: AnswerFormat
}

/**
 * `json_schema`: structured output; `json_object`: JSON whose schema is in the prompt; `text`:
 * format and schema are in the prompt.
 */
export type AnswerFormat = 'json_schema' | 'json_object' | 'text'

const FORMATS: readonly AnswerFormat[] = ['json_schema', 'json_object', 'text']
const KEY = textLike('a text of 1 to 1,000 visible characters of ASCII', (text) =>
  /^[\x21-\x7e]{1,1000}$/.test(text),
)
/** Statuses of endpoints that do not know a member of the request. */
const UNKNOWN: ReadonlySet<number> = new Set([400, 415, 422, 501])

/**
 * A model behind any endpoint of OpenAI's Chat Completions (`POST /chat/completions`): OpenAI's
 * own, those of other providers, Ollama, vLLM, llama.cpp and their like. Requests leave through the
 * platform's egress. An endpoint on a private address needs `privateHost`.
 *
 * @example
 *   const model = createOpenAiModel({
 *     baseUrl: 'http://localhost:11434/v1',
 *     privateHost: 'localhost',
 *     model: 'qwen3',
 *   })
 *   const platform = createPlatform({ model })
 *
 * @throws {TypeError} for a key that cannot be one, and for a URL that may not be asked when the
 *   platform is created
 */
export function createOpenAiModel(options: OpenAiModelOptions): ModelFactory {
  checkOptions<OpenAiModelOptions>('createOpenAiModel', options, {
    baseUrl: required(address),
    apiKey: KEY,
    model: required(nonEmpty),
    privateHost: nonEmpty,
    headers: mapOf(plainText),
    parameters: mapOf(json),
    format: oneOf(...FORMATS),
  })
  const { baseUrl, apiKey, model, privateHost, headers, parameters = {}, format } = options
  const base = new URL(baseUrl)
  const endpoint = new URL(
    `${base.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions${base.search}`,
    base,
  )
  const sent = { ...headers, ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) }
  return {
    create(services) {
      const ask = services.endpoint(endpoint, {
        headers: sent,
        ...(privateHost !== undefined && { privateHost }),
      })
      /** The best format that the endpoint is known to accept. */
      let workingFormat: AnswerFormat | null = format ?? null
      return {
        name: JSON.stringify([endpoint.href, model, parameters]),
        async ask(request): Promise<ModelAnswer> {
          for (const answerFormat of workingFormat === null ? FORMATS : [workingFormat]) {
            const { status, text } = await ask(
              {
                ...parameters,
                model,
                messages: messagesOf(request, answerFormat),
                ...formatOf(request, answerFormat),
              },
              request.signal,
            )
            if (status === 200) {
              workingFormat = answerFormat
              return readCompletion(text)
            }
            if (UNKNOWN.has(status) && workingFormat === null && answerFormat !== 'text') continue
            throw failureOf(status)
          }
          throw failureOf(400)
        },
      }
    },
  }
}

function messagesOf({ instructions, schema, text }: ModelRequest, format: AnswerFormat): Json {
  const system =
    format === 'json_schema'
      ? instructions
      : `${instructions}\n\nThe JSON Schema of the answer:\n\n${JSON.stringify(schema)}`
  return [
    { role: 'system', content: system },
    { role: 'user', content: text },
  ]
}

function formatOf(
  { schema }: ModelRequest,
  format: AnswerFormat,
): { readonly [name: string]: Json } {
  if (format === 'text') return {}
  return {
    response_format:
      format === 'json_object'
        ? { type: format }
        : { type: format, json_schema: { name: 'answer', strict: true, schema } },
  }
}

/** The message omits the endpoint's answer, because that may repeat the key. */
function failureOf(status: number): ModelFailure {
  if (status === 401 || status === 402 || status === 403)
    return new ModelFailure(
      'refused',
      `The model refuses this platform (status ${status}): the operator must check its key ` +
        'and account',
    )
  if (status === 404)
    return new ModelFailure(
      'unusable',
      'The model was not found (status 404): the operator must check its name and address',
    )
  if (status === 413)
    return new ModelFailure('unusable', 'The page is longer than the model takes (status 413)')
  return new ModelFailure('unusable', `The model answered with status ${status}`)
}
