import { fileURLToPath } from 'node:url'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

/** What is made of hostile input, measured: each file in a process of its own. */
const config = mergeConfig(
  base,
  defineConfig({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    test: { pool: 'forks', maxWorkers: 2 },
  }),
)
config.test = {
  ...config.test,
  globalSetup: [],
  include: ['test/growth/*.growth.ts'],
  env: { PROOF: process.env['PROOF'] ?? 'whole' },
}

export default config
