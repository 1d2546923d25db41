import { fileURLToPath } from 'node:url'
import type { TestUserConfig, ViteUserConfig } from 'vitest/config'

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** The configuration that all runs of Vitest share. */
const base = {
  root: pathOf('.'),
  resolve: {
    // The package by its own name, from its sources: examples and tests have the imports of a host.
    alias: [
      { find: '#console-assets', replacement: pathOf('test/support/console-assets.ts') },
      { find: '#mcp-app', replacement: pathOf('test/support/mcp-app.ts') },
      { find: '#console', replacement: pathOf('src/console/console.ts') },
      { find: '#fetcher', replacement: pathOf('adapters/node/fetcher.ts') },
      // Starting threads takes as long as many a test, so only the tests of threads start them.
      { find: '#page-processor', replacement: pathOf('test/support/worlds/inline-pages.ts') },
      { find: '#document-reader', replacement: pathOf('adapters/node/document-reader.ts') },
      { find: '#short-digest', replacement: pathOf('adapters/node/short-digest.ts') },
      { find: /^seine$/, replacement: pathOf('src/index.ts') },
      { find: 'seine/client', replacement: pathOf('src/client.ts') },
      { find: 'seine/backup', replacement: pathOf('src/backup.ts') },
      { find: 'seine/console', replacement: pathOf('src/console.ts') },
      { find: 'seine/engine', replacement: pathOf('src/engine.ts') },
      { find: 'seine/testing', replacement: pathOf('test/contracts/index.ts') },
      { find: /^seine\/(\w+)$/, replacement: `${pathOf('adapters')}/$1/index.ts` },
    ],
  },
  test: {
    setupFiles: [pathOf('test/support/properties.ts'), pathOf('test/support/digests.ts')],
    maxWorkers: '100%',
    // Only for tests that hang: no test may depend on the speed of its machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 90_000 } },
  },
} satisfies ViteUserConfig

/** Restores the globals that a file has replaced, for files that share modules with others. */
export const RESTORE = pathOf('test/support/restore-globals.ts')
/** Refuses titles of tests that are too long to be read. */
export const TITLES = pathOf('test/support/short-titles.ts')
/** The Postgres that the tests of a run share. */
export const POSTGRES = pathOf('test/support/postgres/setup.ts')
/** The Redis that the tests of a run share. */
export const REDIS = pathOf('test/support/redis/setup.ts')

/** The configuration of tests of one kind. */
export function configure(test: TestUserConfig): ViteUserConfig {
  const setupFiles = [...base.test.setupFiles, ...(test.setupFiles ?? [])]
  return { ...base, test: { ...base.test, ...test, setupFiles } }
}
