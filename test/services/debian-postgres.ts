import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = '/usr/lib/postgresql'

/**
 * The folder of the programs of Debian's newest Postgres.
 *
 * @throws where its package is not installed
 */
export function findDebianPostgres(): string {
  const versions = existsSync(FOLDER)
    ? readdirSync(FOLDER).filter((version) => existsSync(join(FOLDER, version, 'bin/initdb')))
    : []
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0]
  if (newest === undefined)
    throw new Error(
      'Postgres is not installed: apt-get install postgresql, or set POSTGRES_BIN to a folder with initdb and postgres',
    )
  return join(FOLDER, newest, 'bin')
}
