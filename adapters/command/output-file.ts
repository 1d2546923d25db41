import {
  accessSync,
  closeSync,
  constants,
  createWriteStream,
  existsSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { nameMeant } from '../../src/kernel/names.ts'
import { CommandError, wrongUse } from './command-error.ts'

const FORMATS = ['csv', 'json', 'jsonl', 'xlsx', 'parquet', 'xml', 'html'] as const

/** The end of a file's name while the file is being written. */
const PART = '.part'

/** A format that rows can be written in. */
export type OutputFormat = (typeof FORMATS)[number]

/**
 * Returns the format of a file by its extension.
 *
 * @throws {CommandError} for an unknown extension, with the list of known ones
 */
export function outputFormat(path: string): OutputFormat {
  const extension = extname(path).slice(1).toLowerCase()
  const format = FORMATS.find((name) => name === extension)
  if (!format) {
    const problem = extension ? `.${extension} is not known` : 'the file needs an extension'
    const extensions = FORMATS.map((name) => `.${name}`)
    throw wrongUse(
      `--out ${path}: ${problem}; use ${extensions.join(', ')}${nameMeant(`.${extension}`, extensions)}`,
    )
  }
  return format
}

/**
 * Returns the format of `--format`.
 *
 * @throws {CommandError} for another word
 */
export function formatNamed(word: string): OutputFormat {
  const format = FORMATS.find((name) => name === word.toLowerCase())
  if (!format)
    throw wrongUse(
      `--format must be ${FORMATS.join(', ')}, not "${word}"${nameMeant(word, FORMATS)}`,
    )
  return format
}

/**
 * Checks that {@link writeOutput} can write the file of `--out`, before there is anything to write.
 *
 * @throws {CommandError}
 */
export function checkOutput(path: string): void {
  checkFolder('--out', path)
  if (existsSync(path) && !statSync(path).isFile())
    throw wrongUse(`--out ${path} is not a file; name one, or - for stdout`)
  orWrongUse('--out', path, () => {
    const part = `${path}${PART}`
    // An existing file belongs to somebody, or another command is writing it. So it stays
    // unchanged.
    if (isMade(part)) rmSync(part)
    else closeSync(openSync(part, 'r+'))
  })
}

/**
 * Checks that a file can be written in place, before there is anything to write. Nothing is created
 * or opened. A device or a pipe, such as `/dev/stdout`, is accepted. `flag`: for the message.
 *
 * @throws {CommandError}
 */
export function checkInPlace(flag: string, path: string): void {
  checkFolder(flag, path)
  const isThere = existsSync(path)
  if (isThere && statSync(path).isDirectory()) throw wrongUse(`${flag} ${path} is not a file`)
  orWrongUse(flag, path, () => accessSync(isThere ? path : dirname(path), constants.W_OK))
}

function checkFolder(flag: string, path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw wrongUse(`${flag} ${path}: there is no folder ${folder}`)
}

/** Makes an empty file. `false`: it exists already. */
function isMade(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function orWrongUse(flag: string, path: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw wrongUse(`${flag} ${path} cannot be written (${codeOf(error)})`)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

/**
 * Writes a body to a file, which appears as a whole or not at all.
 *
 * @throws {CommandError} if it cannot be written
 */
export async function writeOutput(path: string, body: ReadableStream<Uint8Array>): Promise<void> {
  const part = `${path}${PART}`
  try {
    await pipeline(Readable.from(body), createWriteStream(part))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw new CommandError(
      `Cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
