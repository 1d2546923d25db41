import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createFileBlobs } from 'seine/unstorage'
import type { Blobs } from '../../../src/ports/blobs.ts'
import { CommandError } from '../command-error.ts'
import { makeFolder } from '../make-folder.ts'
import { openBucket } from '../open-services.ts'
import type { Environment } from '../settings/read-settings.ts'
import { createTarBlobs } from './tar-file.ts'

/** True for the name of one file; any other name is a folder. */
const isFile = (target: string): boolean => target.endsWith('.tar')

/**
 * Opens the target of a backup: a folder, a file `….tar`, or `s3://BUCKET/PREFIX`.
 *
 * @throws {CommandError} if the target exists and is not empty
 */
export async function openTarget(target: string, env: Environment): Promise<Blobs> {
  if (target.startsWith('s3:')) return openBucket(target, env)
  if (existsSync(target) && !(statSync(target).isDirectory() && readdirSync(target).length === 0))
    throw new CommandError(`${target} is there already; a backup needs a new file or empty folder`)
  try {
    if (isFile(target)) return await createTarBlobs(target, 'write')
    makeFolder(target)
  } catch (error) {
    throw new CommandError(
      `Cannot write ${target}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  return createFileBlobs({ dir: target })
}

/**
 * Opens a backup to read it.
 *
 * @throws {CommandError} if there is no target
 */
export async function openSource(source: string, env: Environment): Promise<Blobs> {
  if (source.startsWith('s3:')) return openBucket(source, env)
  if (!existsSync(source)) throw new CommandError(`There is no backup ${source}`)
  return statSync(source).isDirectory()
    ? createFileBlobs({ dir: source })
    : createTarBlobs(source, 'read')
}

/** Removes the file of an unfinished backup, so that it can be written again. */
export function removePart(target: string): void {
  if (isFile(target) && !target.startsWith('s3:')) rmSync(target, { force: true })
}
