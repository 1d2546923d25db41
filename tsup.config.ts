import { defineConfig, type Options } from 'tsup'

const entry = {
  index: 'src/index.ts',
  client: 'src/client.ts',
  engine: 'src/engine.ts',
  console: 'src/console.ts',
  backup: 'src/backup.ts',
  'console/absent': 'src/console/absent.ts',
  'defaults/page-processor': 'src/defaults/page-processor.ts',
  'defaults/document-reader': 'src/defaults/document-reader.ts',
  'defaults/short-digest': 'src/defaults/short-digest.ts',
  'defaults/web-fetcher': 'src/defaults/web-fetcher.ts',
  'adapters/node/index': 'adapters/node/index.ts',
  'adapters/node/page-threads': 'adapters/node/page-threads.ts',
  'adapters/node/page-document-thread': 'adapters/node/page-document-thread.ts',
  'adapters/node/document-reader': 'adapters/node/document-reader.ts',
  'adapters/node/fetcher': 'adapters/node/fetcher.ts',
  'adapters/node/short-digest': 'adapters/node/short-digest.ts',
  // Loaded by URL from a chunk, so it has to keep this name and place.
  'adapters/common/sqlite/checkpoint-thread': 'adapters/common/sqlite/checkpoint-thread.ts',
  'adapters/sqlite/index': 'adapters/sqlite/index.ts',
  'adapters/postgres/index': 'adapters/postgres/index.ts',
  'adapters/redis/index': 'adapters/redis/index.ts',
  'adapters/bullmq/index': 'adapters/bullmq/index.ts',
  'adapters/bun/index': 'adapters/bun/index.ts',
  'adapters/cloudflare/index': 'adapters/cloudflare/index.ts',
  'adapters/deno/index': 'adapters/deno/index.ts',
  'adapters/jose/index': 'adapters/jose/index.ts',
  'adapters/playwright/index': 'adapters/playwright/index.ts',
  'adapters/searxng/index': 'adapters/searxng/index.ts',
  'adapters/brave/index': 'adapters/brave/index.ts',
  'adapters/openai/index': 'adapters/openai/index.ts',
  'adapters/opentelemetry/index': 'adapters/opentelemetry/index.ts',
  'adapters/prometheus/index': 'adapters/prometheus/index.ts',
  'adapters/s3/index': 'adapters/s3/index.ts',
  'adapters/smtp/index': 'adapters/smtp/index.ts',
  'adapters/command/settings/index': 'adapters/command/settings/index.ts',
  'adapters/unstorage/index': 'adapters/unstorage/index.ts',
  'command/main': 'adapters/command/main.ts',
  // Started as a process of its own, so it has to keep this name and place.
  'command/bench-site': 'adapters/command/bench/site.ts',
  testing: 'test/contracts/index.ts',
}

/**
 * Loaded by URL from beside adapters/node/page-threads, so it has to keep this name and place. It
 * is built alone, with the packages that each page needs: a thread that starts reads 18 files of
 * its own then, and no package (decisions/011-threads.md).
 */
const thread = { 'adapters/node/page-thread': 'adapters/node/page-thread.ts' }

const shared: Options = {
  format: 'esm',
  target: 'es2024',
  platform: 'neutral',
  splitting: true,
  treeshake: true,
  minify: false,
  // Declarations come from tsc: tsup's own take minutes and gigabytes.
  dts: false,
  clean: false,
  silent: true,
  // tsup would write `node:http` as `http`, which other runtimes do not know.
  removeNodeProtocol: false,
  // The package's own names stay imports, so that the command runs the very modules that a host
  // gets; so does the seams `#…`, which package.json resolves for each runtime; so do the
  // consumer's own vitest and fast-check.
  external: [/^node:/, /^#/, /^seine(\/|$)/, 'vitest', 'fast-check', 'playwright-core'],
}

export default defineConfig([
  { ...shared, entry },
  {
    ...shared,
    entry: thread,
    noExternal: [
      'css-select',
      'css-what',
      'domhandler',
      'domutils',
      'entities',
      'html-encoding-sniffer',
      'htmlparser2',
      'valibot',
    ],
  },
])
