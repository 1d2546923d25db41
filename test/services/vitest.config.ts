import { findDebianPostgres } from './debian-postgres.ts'
import { configure, POSTGRES, REDIS } from '../support/vitest-base.ts'

// The Postgres of this run (test/support/postgres) is this one, and no test is skipped if it is
// missing.
process.env['POSTGRES_BIN'] ??= findDebianPostgres()

/** Tests of adapters on servers of the system: `*.services.ts`, and those of Postgres again. */
export default configure({
  globalSetup: [POSTGRES, REDIS],
  include: [
    'test/services/*.services.ts',
    'test/adapters/postgres/*.test.ts',
    'test/adapters/*/*.services.ts',
  ],
})
