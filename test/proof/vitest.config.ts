import { fileURLToPath } from 'node:url'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

/** What is made of hostile input, measured: one thread after the other, so that nothing but the input decides. */
const config = mergeConfig(base, defineConfig({ root: fileURLToPath(new URL('../..', import.meta.url)), test: { maxWorkers: 1, fileParallelism: false } }))
config.test = { ...config.test, globalSetup: [], include: ['test/proof/*.proof.ts'] }

export default config
