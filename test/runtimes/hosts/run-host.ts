import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlatform, type Platform } from 'seine'
import { createNodeFetcher } from 'seine/node'
import { createFileBlobs } from 'seine/unstorage'
import { allCases } from '../cases/all-cases.ts'
import { createStage, type Sites } from '../cases/create-stage.ts'
import { fairCases } from '../cases/fair-cases.ts'
import { CROWD, OWNER, PLATFORM_OPTIONS } from '../cases/platform-options.ts'
import { runCases } from '../cases/stage.ts'
import { probeGuard } from './probe-guard.ts'
import { probeThreads } from './probe-threads.ts'
import { createServerCases, type ServeAny } from './server-cases.ts'

/** The differences between the hosts that are servers. */
export interface HostParts {
  createSqliteStore(options: {
    readonly path: string
  }): NonNullable<Parameters<typeof createPlatform>[0]>['store']
  readonly serve: ServeAny
  /** For the table of the README. */
  readonly server: string
  readonly version: string
}

/** Runs the cases against a server on the current runtime, and reports the results. */
export async function runHost({
  createSqliteStore,
  serve,
  server: name,
  version,
}: HostParts): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'seine-runtime-'))
  const store = createSqliteStore({ path: join(folder, 'seine.db') })
  const platform: Platform = createPlatform({
    ...PLATFORM_OPTIONS,
    ...(store && { store }),
    blobs: createFileBlobs({ dir: join(folder, 'blobs') }),
  })
  const server = await serve({ platform, port: 0 })
  const { secret: key } = await platform.api.keys.create(OWNER, { name: 'suite', scopes: ['*'] })
  const sites: Sites = JSON.parse(process.env['SEINE_SITES'] ?? '{}')
  const stage = createStage({
    url: server.url,
    key,
    sites,
    verify: () => platform.verify(),
    crowd: {
      executions: 1_000,
      async startMany(recipe, count) {
        for (let i = 0; i < count; i++) await platform.api.executions.run(CROWD, { recipe })
      },
    },
  })
  const outcomes = await runCases([...allCases, ...createServerCases(serve), ...fairCases], stage)
  await server.close()
  await platform.close()
  rmSync(folder, { recursive: true })
  const guard = await probeGuard(sites, (address) =>
    createNodeFetcher({ lookup: async () => [address] }),
  )
  const facts = {
    version,
    server: name,
    driven: 'the server itself',
    guard,
    threads: await probeThreads(),
  }
  console.log(`\nRESULT ${JSON.stringify({ outcomes, facts })}`)
}
