import { PlatformError } from '../../kernel/errors.ts'
import { sha256Hex } from '../../kernel/crypto.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { WholeStore, Whose } from '../../records/whole-store.ts'
import { rowsFolder } from '../executions/records.ts'
import type { Records } from '../records.ts'
import { LineWriter } from './line-files.ts'
import { BLOBS, writeManifest } from './manifest.ts'
import type { BackupFile, Manifest } from './manifest.ts'

/** The result of {@link backUp}. */
export interface BackupReport {
  /** Entries of the store. */
  readonly records: number
  readonly blobs: number
  /** Bytes of the blobs. */
  readonly bytes: number
  /**
   * Names of blobs that records name but that do not exist. `verify` says to which records they
   * belong.
   */
  readonly missing: readonly string[]
}

/**
 * Maximum number of rounds. Each copies only what is new since the round before, so rounds become
 * short. A blob that is still missing after the last round is lost, and was not deleted meanwhile.
 */
const MOST_ROUNDS = 5
/** Number of blobs that are copied at the same time. */
const AT_ONCE = 4

/**
 * Makes a consistent copy of records and blobs while the platform works. The records are read as
 * they were at one moment; then the blobs that they name are copied. A blob never changes, so it
 * may be copied later. If a blob was deleted before its turn, the records are read again, and no
 * longer name it. Blobs that no record names are left out.
 *
 * @throws {PlatformError} `CONFLICT`: `to` is not empty; `NOT_IMPLEMENTED`: the store has no
 *   snapshots; `NOT_FOUND`: there is no such account
 */
export async function backUp(
  {
    whole,
    records,
    blobs,
  }: { readonly whole: WholeStore; readonly records: Records; readonly blobs: Blobs },
  { to, whose, now }: { readonly to: Blobs; readonly whose: Whose; readonly now: number },
): Promise<BackupReport> {
  if (!whole.hasSnapshots)
    throw new PlatformError(
      'NOT_IMPLEMENTED',
      'This store has no snapshots, and a backup needs one: SQLite in a file and Postgres have ' +
        'them. Back up any other store with its own tools',
    )
  if ((await to.list('')).length > 0)
    throw new PlatformError('CONFLICT', 'The target of the backup is not empty; name another one')
  if (whose !== null && (await whole.isEmpty(whose)))
    throw new PlatformError('NOT_FOUND', `There is no account ${whose} in this store`)
  const copied = new Map<string, BackupFile>()
  for (let round = 1; ; round++) {
    const { named, lines } = await copyRecords(whole, whose, to, `records/${round}-`)
    const missing = await copyBlobs(blobs, to, [...named], copied)
    if (missing.length > 0 && round < MOST_ROUNDS) {
      await removeAll(to, lines.files)
      continue
    }
    const gone = await withOwners(records, named, missing)
    await removeAll(
      to,
      [...copied.values()].filter(({ name }) => !named.has(name.slice(BLOBS.length))),
    )
    const list = new LineWriter(to, 'list/')
    let bytes = 0
    for (const name of named.keys()) {
      const file = copied.get(name)
      if (!file) continue
      bytes += file.bytes
      await list.add(JSON.stringify(file))
    }
    const listed = await list.end()
    const manifest: Omit<Manifest, 'format'> = {
      account: whose,
      createdAt: new Date(now).toISOString(),
      records: lines,
      blobs: { ...listed, bytes },
      missing: gone,
    }
    await writeManifest(to, manifest)
    return { records: lines.count, blobs: listed.count, bytes, missing: gone }
  }
}

/** Copies the records of one moment. `named` receives each blob that they name, with its account. */
async function copyRecords(
  whole: WholeStore,
  whose: Whose,
  to: Blobs,
  prefix: string,
): Promise<{
  named: ReadonlyMap<string, string>
  lines: { readonly count: number; readonly files: readonly BackupFile[] }
}> {
  const named = new Map<string, string>()
  const lines = new LineWriter(to, prefix)
  for await (const page of whole.snapshot(whose)) {
    for (const line of page.lines) await lines.add(line)
    for (const { name, account } of page.blobs) named.set(name, account)
  }
  return { named, lines: await lines.end() }
}

/** Copies the blobs that were not copied before, and returns the names of those that do not exist. */
async function copyBlobs(
  blobs: Blobs,
  to: Blobs,
  named: readonly (readonly [name: string, account: string])[],
  copied: Map<string, BackupFile>,
): Promise<string[]> {
  const missing: string[] = []
  const rest = named.filter(([name]) => !copied.has(name)).values()
  const copy = async (): Promise<void> => {
    for (const [name] of rest) {
      const bytes = await blobs.get(name)
      if (bytes === null) {
        missing.push(name)
        continue
      }
      const file = `${BLOBS}${name}`
      const sha256 = await sha256Hex(new Uint8Array(bytes))
      await to.put(file, bytes)
      copied.set(name, { name: file, bytes: bytes.length, sha256 })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, copy))
  return missing
}

/**
 * Leaves out blobs of executions that are being deleted, because these are deleted before the
 * records that name them.
 */
async function withOwners(
  records: Records,
  named: ReadonlyMap<string, string>,
  missing: readonly string[],
): Promise<string[]> {
  const gone: string[] = []
  for (const name of missing) {
    const execution = name.split('/')[1] ?? ''
    const isOfExecution = name.startsWith(rowsFolder(execution))
    if (!isOfExecution || (await records.executions.get(named.get(name) ?? '', execution)))
      gone.push(name)
  }
  return gone.toSorted()
}

async function removeAll(to: Blobs, files: readonly BackupFile[]): Promise<void> {
  for (const { name } of files) await to.remove(name)
}
