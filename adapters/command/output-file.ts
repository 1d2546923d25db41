import { closeSync, createWriteStream, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandError, wrongUse } from './command-error.ts'

const FORMATS = ['csv', 'json', 'jsonl', 'xlsx', 'parquet', 'xml', 'html'] as const

/** The end of a file's name while it is written. */
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
    const extensions = FORMATS.map((name) => `.${name}`).join(', ')
    throw wrongUse(`--out ${path}: ${problem}; use ${extensions}`)
  }
  return format
}

/**
 * Checks that a file can be written, before there is anything to write. `flag`: for the message.
 *
 * @throws {CommandError}
 */
export function checkWritable(flag: string, path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder)) throw wrongUse(`${flag} ${path}: there is no folder ${folder}`)
  if (existsSync(path) && !statSync(path).isFile())
    throw wrongUse(`${flag} ${path} is no file; name one, or - for stdout`)
  const part = `${path}${PART}`
  try {
    closeSync(openSync(part, 'a'))
    rmSync(part)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw wrongUse(`${flag} ${path} cannot be written (${code})`)
  }
}

/**
 * Writes a body to a file: the whole file appears at once, or nothing.
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
