import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { wrongUse } from '../command-error.ts'

/** A value and its source. */
interface JsonSource {
  readonly from: string
  readonly value: unknown
}

const TOKEN = 'Unexpected token'

/**
 * JSON, or the content of a file of JSON.
 *
 * @throws {CommandError} for an empty text, a file that cannot be read, and a text that is not JSON
 */
export function jsonFrom(from: string, text: string, folder: string): JsonSource {
  if (text.trim() === '') throw wrongUse(`${from} must be JSON, or the path of a file of JSON`)
  try {
    return { from, value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const content = contentOf(from, text, folder)
    return { from: `${from} ${text}`, value: parseFile(`${from}: ${text}`, content) }
  }
}

/** The content of a file. A text that is not JSON may name one. */
function contentOf(from: string, text: string, folder: string): string {
  // The text may not be a path. In that case the error says where it is not JSON.
  return textOf(`${from}: ${text}`, resolve(folder, text), () => {
    if (/^\s*[[{"]/.test(text)) parseFile(from, text)
  })
}

function textOf(name: string, path: string, judge?: () => void): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    judge?.()
    if (!(error instanceof Error)) throw error
    const reason = 'code' in error ? String(error.code) : error.message
    throw wrongUse(`${name} cannot be read (${reason})`)
  }
}

/**
 * Reads a file of JSON. `name`: its name in messages.
 *
 * @throws {CommandError} for a file that cannot be read, and for one that is not JSON
 */
export function readJsonFile(name: string, path: string): unknown {
  return parseFile(name, textOf(name, path))
}

/**
 * Parses the content of a file. The error does not repeat the text, because a wrong file may
 * contain a secret.
 *
 * @throws {CommandError} with the position of the problem
 */
export function parseFile(name: string, content: string): unknown {
  // Editors on Windows put a byte order mark at the start of a file.
  const json = content.replace(/^\uFEFF/, '')
  try {
    return JSON.parse(json)
  } catch {
    const position = wrongPosition(json)
    if (position === null) throw wrongUse(`${name} is not JSON`)
    const lines = json.slice(0, position).split('\n')
    const column = (lines.at(-1)?.length ?? 0) + 1
    throw wrongUse(`${name} is not JSON (line ${lines.length}, column ${column})`)
  }
}

/** The position at which a text is not JSON. `null`: the engine does not report it. */
function wrongPosition(text: string): number | null {
  const message = problemOf(text)
  const [, position] =
    / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? []
  if (position !== undefined) return Number(position)
  if (message.startsWith('Unexpected end')) return text.length
  if (!message.startsWith(TOKEN)) return null
  // The engine names the token and shows the text around it. The position is the end of the
  // shortest prefix of the text that has the same problem.
  let least = 0
  let most = text.length - 1
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    if (problemOf(text.slice(0, middle + 1)).startsWith(TOKEN)) most = middle
    else least = middle + 1
  }
  return least
}

function problemOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}
