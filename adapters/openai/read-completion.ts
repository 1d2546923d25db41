import { parseShallowJson } from '../../src/kernel/json-depth.ts'
import { isJson, memberOf } from '../../src/kernel/json.ts'
import type { Json } from '../../src/kernel/json.ts'
import { ModelFailure } from '../../src/kernel/failures.ts'
import type { ModelAnswer } from '../../src/ports/model.ts'
import { joinStream } from './join-stream.ts'

/**
 * Reads a chat completion.
 *
 * @throws {ModelFailure} for a refusal, a truncated answer, and an invalid one
 */
export function readCompletion(body: string): ModelAnswer {
  const completion = /^\s*(?:data|event|id|:)/.test(body) ? joinStream(body) : parsed(body)
  const choice = listOf(memberOf(completion, 'choices'))[0] ?? null
  const message = memberOf(choice, 'message')
  const finish = memberOf(choice, 'finish_reason')
  if (finish === 'content_filter' || isText(memberOf(message, 'refusal')))
    throw new ModelFailure('declined', 'The model declines to read this page')
  if (finish === 'length')
    throw new ModelFailure('cut', 'The answer of the model was longer than it may be')
  const content = textOf(memberOf(message, 'content'))
  if (content === '') throw new ModelFailure('unusable', 'The model gave an answer without content')
  const usage = memberOf(completion, 'usage')
  return {
    json: answerIn(content),
    inputTokens: countOf(memberOf(usage, 'prompt_tokens')),
    outputTokens: countOf(memberOf(usage, 'completion_tokens')),
  }
}

/** The JSON in an answer. It may be after thoughts, in a fence, or among other text. */
function answerIn(content: string): Json {
  const text = content.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim()
  const fenced = fencedIn(text)
  const between = text.includes('{')
    ? text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
    : undefined
  for (const candidate of [text, fenced, between]) {
    const value = candidate === undefined ? undefined : jsonOf(candidate)
    if (value !== undefined) return value
  }
  throw new ModelFailure('unusable', "The model's answer is not JSON")
}

/** Returns the text between a line that ends with a fence and the next that begins with one. */
function fencedIn(text: string): string | undefined {
  const lines = text.split('\n')
  const open = lines.findIndex((line) => /```(?:json)?$/.test(line.trimEnd()))
  const close = lines.findIndex((line, index) => index > open && line.trimStart().startsWith('```'))
  return open === -1 || close === -1 ? undefined : lines.slice(open + 1, close).join('\n')
}

function parsed(body: string): Json {
  const value = jsonOf(body)
  if (value === undefined)
    throw new ModelFailure('unusable', 'The endpoint of the model did not answer with JSON')
  return value
}

/** Parses JSON; `undefined` for invalid JSON, and for JSON that is nested too deeply. */
function jsonOf(text: string): Json | undefined {
  try {
    const value = parseShallowJson(text)
    return isJson(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The text of a content, which is a text or a list of parts with texts. */
function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content.trim()
  return listOf(content)
    .map((part) => memberOf(part, 'text'))
    .filter(isText)
    .join('')
    .trim()
}

function countOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
