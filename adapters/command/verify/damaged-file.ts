import { connectByNode } from '../../common/sqlite/drivers.ts'
import { inspectFile, repairFile } from '../../common/sqlite/repair-file.ts'
import type { FileReport } from '../../common/sqlite/repair-file.ts'
import { decodeKey } from '../../../src/kernel/key.ts'
import { codeOf } from '../../common/sqlite/open-database.ts'
import { CommandError } from '../command-error.ts'
import { commandName } from '../command-name.ts'
import { displayText } from '../display-text.ts'

/** Codes of SQLite. */
const CANTOPEN = 14
const DAMAGED: ReadonlySet<number> = new Set([10, 11, 26])
/** Maximum number of lines about lost records, because a damaged file may have very many. */
const MOST_SHOWN = 100

/** The losses of a damaged file, and the result of a repair. */
export interface FileDamage {
  readonly path: string
  /** Records that can be read. */
  readonly records: number
  /** Ranges of records that cannot be read. `null`: the end of the file. */
  readonly gone: readonly { readonly after: string | null; readonly before: string | null }[]
  /** Records whose value cannot be read. */
  readonly broken: readonly string[]
  /** The damaged file, if a new one was put in its place. */
  readonly aside: string | null
}

/**
 * Looks for damage in the file of a store. With `repair` it replaces the file by one with all
 * readable records.
 *
 * @returns `null`: there is no damage
 * @throws {CommandError} if nothing can be read
 */
export function treatFile(path: string, repair: boolean): FileDamage | null {
  try {
    const seen = inspectFile(connectByNode, path)
    if (seen === null) return null
    if (!repair) return damageOf(path, seen, null)
    const { aside, ...report } = repairFile(connectByNode, path)
    return damageOf(path, report, aside)
  } catch (error) {
    const code = codeOf(error)
    const message = error instanceof Error ? error.message : String(error)
    // The code that opens the store explains this error.
    if (code === CANTOPEN) return null
    if (code !== null && DAMAGED.has(code))
      throw new CommandError(
        `Nothing in ${path} can be read (${message}): restore a backup (${commandName()} restore)`,
      )
    throw new CommandError(`The damage of ${path} could not be examined: ${message}`)
  }
}

function damageOf(path: string, report: FileReport, aside: string | null): FileDamage {
  return {
    path,
    records: report.entries,
    gone: report.gaps.map(({ after, before }) => ({
      after: after === '' ? null : nameOf(after),
      before: before === null ? null : nameOf(before),
    })),
    broken: report.keys.map(nameOf),
    aside,
  }
}

/** A key for people. A key between two existing ones may not be valid. */
function nameOf(key: string): string {
  try {
    return decodeKey(key).join('/')
  } catch {
    return JSON.stringify(key)
  }
}

/** True if records are gone. */
export function isLost({ gone, broken }: FileDamage): boolean {
  return gone.length + broken.length > 0
}

/** The damage for people. */
export function damageText(damage: FileDamage): string {
  const { path, records, gone, broken, aside } = damage
  const lines = [
    ...gone.map(
      ({ after, before }) =>
        `gone: all records after ${after ?? 'the start'} and before ${before ?? 'the end'}`,
    ),
    ...broken.map((key) => `gone: the record ${key}`),
  ]
  const more = lines.length - MOST_SHOWN
  return [
    `${path} is damaged. ${records} records can be read${isLost(damage) ? '' : ', which are all'}.`,
    ...lines.slice(0, MOST_SHOWN),
    ...(more > 0 ? [`… and ${more} more; --json lists them all`] : []),
    aside === null
      ? `Stop the servers of this data; then ${commandName()} verify --repair writes readable records to a new file.`
      : `They are in a new file. The damaged one is ${aside}.`,
    '',
  ]
    .map((line) => displayText(line))
    .join('\n')
}
