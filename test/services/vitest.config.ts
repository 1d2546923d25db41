import { findDebianPostgres } from './debian-postgres.ts'
import { configure, POSTGRES, REDIS } from '../support/vitest-base.ts'

// The run's Postgres (test/support/postgres) is this one, and no test is left out where it is
// missing.
process.env['POSTGRES_BIN'] ??= findDebianPostgres()

/**
 * Tests of adapters on servers as the system has them: `*.services.ts`, and those of Postgres
 * again.
 */
export default configure({
  globalSetup: [POSTGRES, REDIS],
  include: [
    'test/services/*.services.ts',
    'test/adapters/postgres/*.test.ts',
    'test/adapters/*/*.services.ts',
  ],
})
