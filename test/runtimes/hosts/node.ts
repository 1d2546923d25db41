import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlatform } from 'seine'
import { serve } from 'seine/node'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'
import { allCases } from '../cases/all-cases.ts'
import { createStage } from '../cases/create-stage.ts'
import { OWNER, PLATFORM_OPTIONS } from '../cases/platform-options.ts'
import { runCases } from '../cases/stage.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-runtime-'))
const platform = createPlatform({ ...PLATFORM_OPTIONS, store: createSqliteStore({ path: join(folder, 'seine.db') }), blobs: createFileBlobs({ dir: join(folder, 'blobs') }) })
const server = await serve({ platform, port: 0 })
const { secret: key } = await platform.api.keys.create(OWNER, { name: 'suite', scopes: ['*'] })
const sites = JSON.parse(process.env['SEINE_SITES'] ?? '{}')
const outcomes = await runCases(allCases, createStage({ url: server.url, key, sites, verify: () => platform.verify() }))
await server.close()
await platform.close()
rmSync(folder, { recursive: true })
console.log(`\nRESULT ${JSON.stringify({ outcomes })}`)
