import { serve } from 'seine/node'
import { createSqliteStore } from 'seine/sqlite'
import { runHost } from './run-host.ts'

await runHost({ createSqliteStore, serve, server: '`node:http`', version: process.versions.node })
