import { fileURLToPath } from 'node:url'
import { mergeConfig } from 'vitest/config'
import { configure } from '../support/vitest-base.ts'

const miniflare = new URL('../runtimes/node_modules/miniflare/dist/src/index.js', import.meta.url)

/** The tests that need the package beside this file, and the runtimes of test/runtimes. */
export default mergeConfig(
  configure({
    include: ['test/hosts/*.hosts.ts', 'test/hosts/*.package.ts'],
    hookTimeout: 300_000,
  }),
  { resolve: { alias: [{ find: /^miniflare$/, replacement: fileURLToPath(miniflare) }] } },
)
