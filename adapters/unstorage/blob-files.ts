import { StoreFailure } from '../../src/kernel/failures.ts'
import type { StoreFailureReason } from '../../src/kernel/failures.ts'

/** Folder for unfinished parts, below the folder of the blobs. No key begins with this name. */
const PARTS = '.parts'
/** Files up to this size are read within the call, in bytes. */
const SMALL = 65_536
/** Age, in ms, from which a part must be from a dead process, because no put takes that long. */
const LEFT_MS = 3_600_000
/** Codes of the system, with their meaning for the disk. */
const REASONS: ReadonlyMap<string, StoreFailureReason> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'readonly'],
  ['EIO', 'failing'],
])
/** Codes of systems that cannot sync the names in a folder. */
const CANNOT_SYNC: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EINVAL', 'EBADF', 'ENOTSUP'])
/** One in this number of puts looks for parts that dead processes left. */
const PUTS_A_SWEEP = 1_000

/**
 * Reads a file, into memory that belongs to the caller. `null`: there is no such file. A small file
 * is read synchronously: if it is in the system's memory, this takes less time than an asynchronous
 * read, which needs five answers of the system's threads, each in another turn of the event loop.
 */
export async function readFile(dir: string, key: string): Promise<Uint8Array | null> {
  const [files, { join }] = await Promise.all([import('node:fs'), import('node:path')])
  const path = join(dir, ...key.split(':'))
  try {
    const size = files.statSync(path, { throwIfNoEntry: false })?.size
    if (size === undefined) return null
    // Small buffers may share their memory with others. Also, a Buffer's `slice` does not copy.
    if (size <= SMALL) return Uint8Array.from(files.readFileSync(path))
    const { buffer, byteOffset, byteLength } = await files.promises.readFile(path)
    return new Uint8Array(buffer, byteOffset, byteLength)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    // A file that may not be read may still be writable.
    throw failureOf(error, 'unreachable')
  }
}

/** Removes a file. It is not an error if the file does not exist. */
export async function removeFile(dir: string, key: string): Promise<void> {
  const [{ rm }, { join }] = await Promise.all([import('node:fs/promises'), import('node:path')])
  await rm(join(dir, ...key.split(':')), { force: true }).catch((error: unknown) => {
    // A folder is not a blob.
    if (codeOf(error) !== 'ERR_FS_EISDIR') throw failureOf(error)
  })
}

/** When a put ends: with `full`, once its bytes are on disk and survive a power loss. */
export type BlobDurability = 'normal' | 'full'

/**
 * Returns a function that writes a file completely or not at all: first under a fresh name, then
 * under its own. Until then readers get the earlier bytes, even if the process dies. The unfinished
 * part of a dead process is removed by a later one.
 *
 * With `full` the first put also waits until the folder's own name is on the disk, and so does
 * every other one: whoever made the folder may have died before.
 *
 * The writer throws a {@link StoreFailure} where there is no space left, where nothing may be
 * written, and where the disk fails.
 */
export function fileWriter(
  dir: string,
  durability: BlobDurability,
): (key: string, bytes: Uint8Array) => Promise<void> {
  let puts = 0
  let rooted: Promise<void> | undefined
  return async (key, bytes) => {
    // Loaded when first needed, so that this module also loads where there are no files.
    const [files, { dirname, join, resolve }] = await Promise.all([
      import('node:fs/promises'),
      import('node:path'),
    ])
    const top = resolve(dir)
    const path = join(top, ...key.split(':'))
    const parts = join(top, PARTS)
    const part = join(parts, crypto.randomUUID())
    try {
      if (durability === 'full')
        await (rooted ??= makeLasting(parts).catch((error: unknown) => {
          rooted = undefined
          throw error
        }))
      await withFolder(() => files.writeFile(part, bytes), parts)
      if (puts++ % PUTS_A_SWEEP === 0) await removeLeftParts(parts, part)
      if (durability === 'full') await flush(part, 'r+')
      const made = await withFolder(() => files.rename(part, path), dirname(path))
      if (durability === 'full') await flushFolders(dirname(path), made ? dirname(made) : top)
    } catch (error) {
      await files.rm(part, { force: true }).catch(() => undefined)
      throw failureOf(error)
    }
  }
}

/**
 * Removes parts that no living process writes any more. Their age is measured by the file system's
 * own clock, which is read from a part that was written just now.
 */
async function removeLeftParts(parts: string, fresh: string): Promise<void> {
  const [files, { join }] = await Promise.all([import('node:fs/promises'), import('node:path')])
  try {
    const { mtimeMs: now } = await files.stat(fresh)
    for (const name of await files.readdir(parts)) {
      const part = join(parts, name)
      const isLeft = await files.stat(part).then(({ mtimeMs }) => now - mtimeMs > LEFT_MS)
      if (isLeft) await files.rm(part, { force: true })
    }
  } catch {
    // Another process has finished or removed a part. The next sweep tries again.
  }
}

/** Makes a folder below the top one, and waits until the names of both are on the disk. */
async function makeLasting(folder: string): Promise<void> {
  const [{ mkdir }, { dirname }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
  ])
  const made = await mkdir(folder, { recursive: true })
  const above = dirname(dirname(folder))
  const isHigher = made !== undefined && made.length <= above.length
  await flushFolders(dirname(folder), isHigher ? dirname(made) : above)
}

/** Waits until a file, or the names in a folder, are on disk. */
async function flush(path: string, flags: 'r' | 'r+'): Promise<void> {
  const { open } = await import('node:fs/promises')
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Flushes a folder and those above it, up to `top`, as each has the name of the one below it. */
async function flushFolders(folder: string, top: string): Promise<void> {
  const { dirname } = await import('node:path')
  for (let next = folder; ; next = dirname(next)) {
    await flush(next, 'r').catch((error: unknown) => {
      // Windows opens no folders and keeps names in its journal. Some shared file systems sync
      // none. A folder above may belong to another user.
      if (!CANNOT_SYNC.has(codeOf(error))) throw error
    })
    if (next === top || next === dirname(next)) return
  }
}

/** Writes a file, and creates missing folders first. Returns the topmost folder that was created. */
async function withFolder(write: () => Promise<void>, folder: string): Promise<string | undefined> {
  try {
    await write()
    return undefined
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    const { mkdir } = await import('node:fs/promises')
    const made = await mkdir(folder, { recursive: true })
    await write()
    return made
  }
}

/**
 * The error of a file system as a failure of the port, if the caller is not its cause.
 *
 * @param denied What it means that the system does not allow it.
 */
function failureOf(error: unknown, denied: StoreFailureReason = 'readonly'): unknown {
  const code = codeOf(error)
  const reason = code === 'EACCES' || code === 'EPERM' ? denied : REASONS.get(code)
  return reason === undefined ? error : new StoreFailure(reason, { cause: error })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
