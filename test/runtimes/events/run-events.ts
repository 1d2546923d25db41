import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundleWorker } from '../bundle-worker.ts'
import { runCases, type Outcome } from '../cases/stage.ts'
import { alarmCases } from './alarm-cases.ts'
import { AlarmStage } from './alarm-stage.ts'
import { cronCases } from './cron-cases.ts'
import { CronStage } from './cron-stage.ts'
import { startEventSite } from './event-site.ts'
import { Workers, type CreateClient } from './workers.ts'

/** The events that drive a Worker apart from requests. */
export type EventSource = 'cron' | 'alarm'

const DATABASE = { d1Databases: { DB: 'suite' }, r2Buckets: { BLOBS: 'suite' } }
const OBJECT = {
  durableObjects: { SEINE: { className: 'PlatformObject', useSQLite: true } },
  r2Buckets: { BLOBS: 'suite' },
}

/** Runs the cases of events outside of workerd, with the package of a project. */
export async function runEvents(
  source: EventSource,
  project: string,
): Promise<{ readonly outcomes: readonly Outcome[]; readonly facts: { readonly driven: string } }> {
  const { createClient }: { readonly createClient: CreateClient } = await import(
    pathToFileURL(join(project, 'node_modules/seine/dist/client.js')).href
  )
  const { code } = await bundleWorker(
    join(import.meta.dirname, '../hosts', `worker-${source}.ts`),
    project,
  )
  const folder = await mkdtemp(join(tmpdir(), 'seine-events-'))
  const site = await startEventSite()
  const workers = new Workers({
    code,
    folder,
    workers: source === 'cron' ? { one: DATABASE, other: DATABASE } : { one: OBJECT },
  })
  try {
    const outcomes =
      source === 'cron'
        ? await runCases(cronCases, await CronStage.open(createClient, workers, site))
        : await runCases(alarmCases, await AlarmStage.open(createClient, workers, site))
    return {
      outcomes,
      facts: { driven: source === 'cron' ? 'writes and cron triggers' : 'writes and alarms' },
    }
  } finally {
    await workers.dispose()
    await site.close()
    await rm(folder, { recursive: true, force: true })
  }
}
