import { fileURLToPath } from 'node:url'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The tests that need the package beside this file, and the runtimes of test/runtimes. */
const config = mergeConfig(
  base,
  defineConfig({
    root: at('../..'),
    resolve: {
      alias: [
        {
          find: /^miniflare$/,
          replacement: at('../runtimes/node_modules/miniflare/dist/src/index.js'),
        },
      ],
    },
  }),
)
config.test = {
  ...config.test,
  globalSetup: [],
  include: ['test/hosts/*.hosts.ts', 'test/hosts/*.package.ts'],
  hookTimeout: 300_000,
}

export default config
