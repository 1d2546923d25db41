import { createSqliteStore, serve } from 'seine/bun'
import { runHost } from './run-host.ts'

await runHost({
  createSqliteStore,
  serve,
  server: '`Bun.serve`',
  version: process.versions['bun'] ?? '',
})
