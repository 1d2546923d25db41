import { PlatformError } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { StoredLine, WholeStore } from '../../records/whole-store.ts'
import { readLines } from './line-files.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import { BLOBS, damaged, readFile, readManifest } from './manifest.ts'
import type { BackupFile, Manifest } from './manifest.ts'

/** The result of {@link restore}. */
export interface RestoreReport {
  /** The account that was imported; `null`: all of a deployment. */
  readonly account: string | null
  /** When the backup was made, RFC 3339. */
  readonly createdAt: string
  /** Entries of the store. */
  readonly records: number
  readonly blobs: number
  /** Blobs that did not exist when the backup was made. */
  readonly missing: readonly string[]
}

/**
 * Restores a backup into an empty store and empty blobs, or an account into a deployment without an
 * account of this name. All of the backup is checked first, so nothing is written from a damaged
 * one. If a restore is interrupted, the same backup can be restored again.
 *
 * @throws {PlatformError} `UNPROCESSABLE_CONTENT`: the backup is damaged; `CONFLICT`: the target is
 *   not empty
 */
export async function restore(
  {
    whole,
    records,
    blobs,
    ownerOf,
  }: {
    readonly whole: WholeStore
    readonly records: Records
    readonly blobs: Blobs
    /** The account's pseudonym in links to media. Each deployment derives it with its own secret. */
    readonly ownerOf: (account: string) => Promise<string>
  },
  { from }: { readonly from: Blobs },
): Promise<RestoreReport> {
  const { manifest, name } = await readManifest(from)
  await assertRoom(whole, blobs, manifest, name)
  await check(from, manifest)
  await whole.beginRestore(name)
  for await (const file of filesOf(from, manifest))
    await blobs.put(file.name.slice(BLOBS.length), await readFile(from, file))
  await whole.write(linesOf(from, manifest))
  const { account, createdAt, missing } = manifest
  if (account !== null) {
    const change = new Change()
    records.mediaOwners.put(change, SYSTEM, { owner: await ownerOf(account), account })
    await records.commit(change)
  }
  await whole.endRestore()
  return {
    account,
    createdAt,
    records: manifest.records.count,
    blobs: manifest.blobs.count,
    missing,
  }
}

/** Refuses a target that is not empty, unless its data is a first part of this backup. */
async function assertRoom(
  whole: WholeStore,
  blobs: Blobs,
  { account }: Manifest,
  name: string,
): Promise<void> {
  const begun = await whole.restoring()
  if (begun === name) return
  if (begun !== null)
    throw new PlatformError(
      'CONFLICT',
      'The store has a part of another backup, whose restore was interrupted. Restore that one again, ' +
        'or empty the store and the blobs',
    )
  if (!(await whole.isEmpty(account)))
    throw new PlatformError(
      'CONFLICT',
      account === null
        ? 'The store is not empty. Restore into a new one, before a server is started on it'
        : `There is an account ${account} already. Erase it first, or import into another deployment`,
    )
  if (account === null && (await blobs.list('')).length > 0)
    throw new PlatformError('CONFLICT', 'The blobs are not empty. Restore into a new place')
}

/** Reads all of a backup once. */
async function check(from: Blobs, manifest: Manifest): Promise<void> {
  let entries = 0
  for await (const _ of linesOf(from, manifest)) entries++
  if (entries !== manifest.records.count)
    throw damaged(`it has ${entries} records of ${manifest.records.count}`)
  let count = 0
  for await (const file of filesOf(from, manifest)) {
    await readFile(from, file)
    count++
  }
  if (count !== manifest.blobs.count)
    throw damaged(`it lists ${count} blobs of ${manifest.blobs.count}`)
}

async function* linesOf(
  from: Blobs,
  { records }: Manifest,
): AsyncGenerator<{ line: StoredLine; size: number }> {
  for await (const text of readLines(from, records.files)) {
    const line: unknown = JSON.parse(text)
    if (!isLine(line)) throw damaged('a record of it has no key')
    yield { line, size: text.length }
  }
}

async function* filesOf(from: Blobs, { blobs }: Manifest): AsyncGenerator<BackupFile> {
  for await (const text of readLines(from, blobs.files)) {
    const file: unknown = JSON.parse(text)
    if (!isFile(file)) throw damaged('a line of its list of blobs has no name')
    yield file
  }
}

function isLine(value: unknown): value is StoredLine {
  if (!Array.isArray(value)) return false
  const [key, , expiresAt]: readonly unknown[] = value
  return (
    Array.isArray(key) &&
    key.length > 0 &&
    key.every((part) => typeof part === 'string' || typeof part === 'number') &&
    (expiresAt === undefined || typeof expiresAt === 'number')
  )
}

function isFile(value: unknown): value is BackupFile {
  return (
    isObject(value) &&
    typeof value['name'] === 'string' &&
    value['name'].startsWith(BLOBS) &&
    typeof value['bytes'] === 'number' &&
    typeof value['sha256'] === 'string'
  )
}
