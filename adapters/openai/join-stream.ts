import { createParser } from 'eventsource-parser'
import { isObject } from '../../src/kernel/json.ts'
import type { Json } from '../../src/kernel/json.ts'

/**
 * Characters that the parser gets at once. With mixed line endings its time may grow with their
 * square.
 */
const SLICE = 4_096

/**
 * Joins a stream of completions, which some endpoints and proxies send unasked (server-sent events,
 * `data: {…}`), into one completion.
 */
export function joinStream(body: string): Json {
  let [content, refusal] = ['', '']
  let finish: Json = null
  let usage: Json = null
  const parser = createParser({
    onEvent({ data }) {
      const chunk = chunkOf(data)
      if (chunk === null) return
      usage = isObject(chunk['usage']) ? chunk['usage'] : usage
      const choices = chunk['choices']
      const first: Json = Array.isArray(choices) ? (choices[0] ?? null) : null
      if (!isObject(first)) return
      finish = first['finish_reason'] ?? finish
      const delta = first['delta']
      if (!isObject(delta)) return
      if (typeof delta['content'] === 'string') content += delta['content']
      if (typeof delta['refusal'] === 'string') refusal += delta['refusal']
    },
  })
  for (let from = 0; from < body.length; from += SLICE) parser.feed(body.slice(from, from + SLICE))
  // The last event may lack its empty line.
  parser.feed('\n\n')
  return {
    choices: [
      { message: { content, refusal: refusal === '' ? null : refusal }, finish_reason: finish },
    ],
    usage,
  }
}

type JsonObject = { readonly [name: string]: Json }

function chunkOf(data: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(data)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
