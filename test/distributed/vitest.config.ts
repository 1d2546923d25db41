import { fileURLToPath } from 'node:url'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

/** Tests of several real processes on one Postgres, that of npm unless POSTGRES_BIN names another. */
const config = mergeConfig(
  base,
  defineConfig({ root: fileURLToPath(new URL('../..', import.meta.url)) }),
)
config.test = { ...config.test, include: ['test/distributed/*.distributed.ts'] }

export default config
