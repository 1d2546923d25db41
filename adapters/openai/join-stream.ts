import { parseShallowJson } from '../../src/kernel/json-depth.ts'
import { createEventReader, EventTooLong } from '../../src/kernel/http/event-reader.ts'
import type { StreamEvent } from '../../src/kernel/http/event-reader.ts'
import { ModelFailure } from '../../src/kernel/failures.ts'
import { isJson, isObject } from '../../src/kernel/json.ts'
import type { Json } from '../../src/kernel/json.ts'

/**
 * Joins a stream of completions, which some endpoints and proxies send unasked (server-sent events,
 * `data: {…}`), into one completion.
 *
 * @throws {ModelFailure} for an event that is too long
 */
export function joinStream(body: string): Json {
  let [content, refusal] = ['', '']
  let finish: Json = null
  let usage: Json = null
  // The last event may lack its empty line.
  for (const { data } of eventsOf(`${body}\n\n`)) {
    const chunk = chunkOf(data)
    if (chunk === null) continue
    usage = isObject(chunk['usage']) ? chunk['usage'] : usage
    const choices = chunk['choices']
    const first: Json = Array.isArray(choices) ? (choices[0] ?? null) : null
    if (!isObject(first)) continue
    finish = first['finish_reason'] ?? finish
    const delta = first['delta']
    if (!isObject(delta)) continue
    if (typeof delta['content'] === 'string') content += delta['content']
    if (typeof delta['refusal'] === 'string') refusal += delta['refusal']
  }
  return {
    choices: [
      { message: { content, refusal: refusal === '' ? null : refusal }, finish_reason: finish },
    ],
    usage,
  }
}

function* eventsOf(text: string): Generator<StreamEvent> {
  try {
    yield* createEventReader()(text)
  } catch (error) {
    if (!(error instanceof EventTooLong)) throw error
    throw new ModelFailure('unusable', 'The model gave an answer that is too long', {
      cause: error,
    })
  }
}

type JsonObject = { readonly [name: string]: Json }

function chunkOf(data: string): JsonObject | null {
  try {
    const value = parseShallowJson(data)
    return isJson(value) && isObject(value) ? value : null
  } catch {
    return null
  }
}
