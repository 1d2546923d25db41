import { fileURLToPath } from 'node:url'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'
import { findDebianPostgres } from './debian-postgres.ts'

// The run's Postgres (test/support/postgres) is this one, and no test is left out where it is
// missing.
process.env['POSTGRES_BIN'] ??= findDebianPostgres()

const redis = fileURLToPath(new URL('../support/redis/setup.ts', import.meta.url))

/**
 * Tests of adapters on servers as the system has them: `*.services.ts`, and those of Postgres
 * again.
 */
const config = mergeConfig(
  base,
  defineConfig({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    test: { globalSetup: [redis] },
  }),
)
config.test = {
  ...config.test,
  include: [
    'test/services/*.services.ts',
    'test/adapters/postgres/*.test.ts',
    'test/adapters/*/*.services.ts',
  ],
}

export default config
