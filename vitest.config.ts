import { configDefaults, defineConfig } from 'vitest/config'
import { configure, POSTGRES, RESTORE } from './test/support/vitest-base.ts'

/** Tests that need sources alone, in files that share the modules of their thread. */
const unit = configure({
  name: 'unit',
  include: ['test/**/*.test.ts'],
  exclude: [...configDefaults.exclude, 'test/**/*.proof.test.ts'],
  pool: 'threads',
  isolate: false,
  setupFiles: [RESTORE],
  env: { PROPERTY_SHARE: '0.1' },
})

/**
 * Tests that need a build, processes, threads or a database, replace modules, or take long; and
 * properties again, with all their runs.
 */
const proof = configure({
  name: 'proof',
  include: ['test/**/*.{proof,property}.test.ts'],
  globalSetup: [POSTGRES],
})

export default defineConfig({ test: { maxWorkers: '100%', projects: [unit, proof] } })
