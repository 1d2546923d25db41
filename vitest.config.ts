import { defineConfig } from 'vitest/config'

const at = (path: string) => new URL(path, import.meta.url).pathname

/** When to give up on what hangs, and nothing else: no test may depend on how fast its machine is. */
const PATIENCE = {
  testTimeout: 240_000,
  hookTimeout: 240_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: 90_000 } },
}

export default defineConfig({
  resolve: {
    // The package by its own name, from its sources: examples and tests import what a host would
    // import.
    alias: [
      { find: '#fetcher', replacement: at('./adapters/node/fetcher.ts') },
      // Threads take as long to start as many a test takes: those that are about threads make them.
      { find: '#page-processor', replacement: at('./test/support/inline-pages.ts') },
      { find: '#pdf-reader', replacement: at('./adapters/node/pdf-reader.ts') },
      { find: '#short-digest', replacement: at('./adapters/node/short-digest.ts') },
      { find: /^seine$/, replacement: at('./src/index.ts') },
      { find: 'seine/client', replacement: at('./src/client.ts') },
      { find: 'seine/engine', replacement: at('./src/engine.ts') },
      { find: 'seine/testing', replacement: at('./test/contracts/index.ts') },
      { find: /^seine\/(\w+)$/, replacement: at('./adapters/$1/index.ts') },
    ],
  },
  test: {
    globalSetup: [at('./test/support/postgres/setup.ts')],
    include: ['test/**/*.test.ts'],
    setupFiles: [at('./test/support/property-seed.ts')],
    maxWorkers: '100%',
    ...PATIENCE,
  },
})
