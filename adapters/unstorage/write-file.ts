import { StoreFailure } from '../../src/kernel/failures.ts'

/** Below the folder of the blobs: no key begins with it. */
const PARTS = '.parts'

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
    await Promise.all([
      files.mkdir(parts, { recursive: true }),
      files.mkdir(dirname(path), { recursive: true }),
    ])
    await files.writeFile(part, bytes)
    await files.rename(part, path)
  } catch (error) {
    await files.rm(part, { force: true }).catch(() => undefined)
    throw isFull(error) ? new StoreFailure('full', { cause: error }) : error
  }
}

function isFull(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOSPC' || error.code === 'EDQUOT')
  )
}
