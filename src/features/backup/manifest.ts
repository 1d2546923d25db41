import { PlatformError } from '../../kernel/errors.ts'
import { isList, isObject } from '../../kernel/json.ts'
import { sha256Hex } from '../../kernel/crypto.ts'
import type { Blobs } from '../../ports/blobs.ts'

/**
 * Number of the backup format that this version writes. It can read this format and all earlier
 * ones.
 */
const FORMAT = 1
/** The manifest is written last, so a backup without it is incomplete. */
const MANIFEST = 'manifest.json'
/** Folder of a backup with the blobs of the platform, under their own names. */
export const BLOBS = 'blobs/'

/** A file of a backup, with the size and digest that it must have. */
export interface BackupFile {
  readonly name: string
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
}

/** The content of a backup. */
export interface Manifest {
  readonly format: number
  /** The account that was exported; `null`: all of a deployment. */
  readonly account: string | null
  /** RFC 3339. */
  readonly createdAt: string
  /** The number of entries of the store, and the files that contain them. */
  readonly records: { readonly count: number; readonly files: readonly BackupFile[] }
  /** The number of blobs, and the files that list them. */
  readonly blobs: {
    readonly count: number
    readonly bytes: number
    readonly files: readonly BackupFile[]
  }
  /** Blobs that records name, but that did not exist. */
  readonly missing: readonly string[]
}

/** Writes a file, and returns its entry for the manifest. */
export async function writeFile(to: Blobs, name: string, bytes: Uint8Array): Promise<BackupFile> {
  await to.put(name, bytes)
  return { name, bytes: bytes.length, sha256: await sha256Hex(new Uint8Array(bytes)) }
}

/**
 * Reads a file of a backup.
 *
 * @throws {PlatformError} `UNPROCESSABLE_CONTENT`: it is missing or was changed
 */
export async function readFile(from: Blobs, file: BackupFile): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await from.get(file.name)
  if (bytes === null) throw damaged(`it has no ${file.name}`)
  const own = new Uint8Array(bytes)
  if (own.length !== file.bytes || (await sha256Hex(own)) !== file.sha256)
    throw damaged(`${file.name} is not as it was written`)
  return own
}

/** Writes the manifest, which completes the backup. */
export async function writeManifest(
  to: Blobs,
  manifest: Omit<Manifest, 'format'>,
): Promise<BackupFile> {
  const body = JSON.stringify({ format: FORMAT, ...manifest }, null, 2)
  // The manifest contains its own digest, because no other file has it.
  const sha256 = await sha256Hex(body)
  return writeFile(to, MANIFEST, new TextEncoder().encode(`${sha256}\n${body}\n`))
}

/**
 * Reads the manifest of a backup, and the backup's unique name.
 *
 * @throws {PlatformError} `UNPROCESSABLE_CONTENT`: there is no manifest, it is damaged, or a later version
 *   wrote it
 */
export async function readManifest(from: Blobs): Promise<{ manifest: Manifest; name: string }> {
  const bytes = await from.get(MANIFEST)
  if (bytes === null)
    throw damaged(
      `${MANIFEST}, which is written last, is missing, so this is not a complete backup`,
    )
  const [name = '', ...lines] = new TextDecoder().decode(bytes).split('\n')
  const body = lines.join('\n').replace(/\n$/, '')
  if (name !== (await sha256Hex(body))) throw damaged(`${MANIFEST} is not as it was written`)
  const manifest: unknown = JSON.parse(body)
  if (!isObject(manifest)) throw damaged(`${MANIFEST} is not an object`)
  const { format } = manifest
  if (typeof format !== 'number' || format > FORMAT)
    throw new PlatformError(
      'UNPROCESSABLE_CONTENT',
      `The backup has format ${String(format)}; this version of Seine reads formats up to ${FORMAT}. ` +
        'Restore it with the version that wrote it, or a later one',
    )
  if (!isManifest(manifest)) throw damaged(`${MANIFEST} lacks a part`)
  return { manifest, name }
}

function isManifest(value: { readonly [name: string]: unknown }): value is Manifest & typeof value {
  const { records, blobs, account, missing } = value
  return (
    isObject(records) &&
    isList(records['files']) &&
    isObject(blobs) &&
    isList(blobs['files']) &&
    isList(missing) &&
    (account === null || typeof account === 'string')
  )
}

/** The error for a backup that cannot be used. */
export function damaged(what: string): PlatformError {
  return new PlatformError(
    'UNPROCESSABLE_CONTENT',
    `The backup cannot be restored: ${what}. Nothing was written; take another copy of it`,
  )
}
