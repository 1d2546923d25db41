import { createSqliteStore, serve } from 'seine/deno'
import { runHost } from './run-host.ts'

await runHost({
  createSqliteStore,
  serve,
  server: '`Deno.serve`',
  version: process.versions['deno'] ?? '',
})
