import { StoreFailure } from '../../src/kernel/failures.ts'

/** Below the folder of the blobs: no key begins with it. */
const PARTS = '.parts'
/** Files up to this size are read within the call, in bytes. */
const SMALL = 65_536

/**
 * Reads a file, into memory that belongs to the caller. `null`: there is none. Another way than
 * within the call takes five answers of the system's threads, and each of them waits for a turn of
 * the event loop; a small file that is in the system's memory takes less time than these.
 */
export async function readFile(dir: string, key: string): Promise<Uint8Array | null> {
  const [files, { join }] = await Promise.all([import('node:fs'), import('node:path')])
  const path = join(dir, ...key.split(':'))
  const size = files.statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) return null
  try {
    // Small buffers may share their memory with others. And a Buffer's `slice` is no copy.
    if (size <= SMALL) return Uint8Array.from(files.readFileSync(path))
    const { buffer, byteOffset, byteLength } = await files.promises.readFile(path)
    return new Uint8Array(buffer, byteOffset, byteLength)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/**
 * Writes a file whole or not at all: under a fresh name first, then under its own. Who reads
 * meanwhile gets the bytes from before, also if the process dies.
 *
 * @throws {StoreFailure} where there is no space left
 */
export async function writeFile(dir: string, key: string, bytes: Uint8Array): Promise<void> {
  // Loaded when first needed, so that this module also loads where there are no files.
  const [files, { dirname, join }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
  ])
  const path = join(dir, ...key.split(':'))
  const parts = join(dir, PARTS)
  const part = join(parts, crypto.randomUUID())
  try {
    await withFolder(() => files.writeFile(part, bytes), parts)
    await withFolder(() => files.rename(part, path), dirname(path))
  } catch (error) {
    await files.rm(part, { force: true }).catch(() => undefined)
    throw isFull(error) ? new StoreFailure('full', { cause: error }) : error
  }
}

/** Writes; a folder that is missing is made first. */
async function withFolder(write: () => Promise<void>, folder: string): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    const { mkdir } = await import('node:fs/promises')
    await mkdir(folder, { recursive: true })
    await write()
  }
}

function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
