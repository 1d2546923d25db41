import { StoreFailure } from '../../src/kernel/failures.ts'

/** Folder for unfinished parts, below the folder of the blobs. No key begins with this name. */
const PARTS = '.parts'
/** Files up to this size are read within the call, in bytes. */
const SMALL = 65_536
/** Age, in ms, from which a part was left by a dead process, because no put takes that long. */
const LEFT_MS = 3_600_000
/** Number of puts after which parts of dead processes are looked for. */
const PUTS_A_SWEEP = 1_000

/**
 * Reads a file, into memory that belongs to the caller. `null`: there is no such file. A small file
 * is read synchronously: if it is in the system's memory, this takes less time than an asynchronous
 * read, which needs five answers of the system's threads, each in another turn of the event loop.
 */
export async function readFile(dir: string, key: string): Promise<Uint8Array | null> {
  const [files, { join }] = await Promise.all([import('node:fs'), import('node:path')])
  const path = join(dir, ...key.split(':'))
  const size = files.statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) return null
  try {
    // Small buffers may share their memory with others. Besides, a Buffer's `slice` does not copy.
    if (size <= SMALL) return Uint8Array.from(files.readFileSync(path))
    const { buffer, byteOffset, byteLength } = await files.promises.readFile(path)
    return new Uint8Array(buffer, byteOffset, byteLength)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** When a put is over: `full` once its bytes are on the disk, also if the power fails then. */
export type BlobDurability = 'normal' | 'full'

/**
 * Returns a function that writes a file completely or not at all: first under a fresh name, then
 * under its own. Until then readers get the earlier bytes, even if the process dies. The unfinished
 * part of a dead process is removed by a later one.
 *
 * The writer throws a {@link StoreFailure} where there is no space left.
 */
export function fileWriter(
  dir: string,
  durability: BlobDurability,
): (key: string, bytes: Uint8Array) => Promise<void> {
  let puts = 0
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
      const made = await withFolder(() => files.writeFile(part, bytes), parts)
      if (puts++ % PUTS_A_SWEEP === 0) await removeLeftParts(parts, part)
      if (durability === 'full') await flush(part)
      await withFolder(() => files.rename(part, path), dirname(path))
      if (durability === 'full') await flushFolders(dirname(path), made ? dirname(made) : top)
    } catch (error) {
      await files.rm(part, { force: true }).catch(() => undefined)
      throw isFull(error) ? new StoreFailure('full', { cause: error }) : error
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
    // Another process has ended or removed one. The next sweep looks again.
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
async function flush(path: string): Promise<void> {
  const { open } = await import('node:fs/promises')
  const handle = await open(path, 'r+').catch((error: unknown) => {
    if (codeOf(error) !== 'EISDIR') throw error
    return open(path, 'r')
  })
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
    await flush(next).catch((error: unknown) => {
      // Windows opens no folders; it keeps names in its journal.
      if (codeOf(error) !== 'EPERM') throw error
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

function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
