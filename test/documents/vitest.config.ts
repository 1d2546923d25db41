import { fileURLToPath } from 'node:url'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

/** The tests that need LibreOffice, and the package beside this file. */
const config = mergeConfig(
  base,
  defineConfig({ root: fileURLToPath(new URL('../..', import.meta.url)) }),
)
config.test = { ...config.test, include: ['test/documents/*.documents.ts'] }

export default config
