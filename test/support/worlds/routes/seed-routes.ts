import { enterInto } from '../../../../src/features/ledger/account-session.ts'
import { OPEN_PLAN, OPEN_TARIFF } from '../../../../src/features/ledger/plans.ts'
import { Change } from '../../../../src/records/change.ts'
import { addMedia } from '../../fakes/add-media.ts'
import { addProposal } from '../../fakes/add-proposal.ts'
import { mergeAll } from '../merge-all.ts'
import { createServiceHost } from '../service-host.ts'
import { CANARY, CANARY_RECIPE as recipe, type Seeded } from './route-request.ts'

/** A host on which `acme` has two records of everything. */
export async function seedRoutes(
  options: Parameters<typeof createServiceHost>[0] = {},
): Promise<Seeded> {
  // Nobody but its own accounts sees a private plan.
  const host = await createServiceHost({
    operator: true,
    tariff: {
      ...OPEN_TARIFF,
      plans: [
        OPEN_PLAN,
        {
          ...OPEN_PLAN,
          id: `${CANARY}-plan`,
          name: CANARY,
          description: CANARY,
          access: 'private',
        },
      ],
    },
    ...options,
  })
  const make = async (path: string, body?: unknown): Promise<string> =>
    (await host.call('POST', path, body === undefined ? {} : { body })).body.data.id
  const task = await make('/api/v1/tasks', {
    name: `${CANARY} task`,
    description: CANARY,
    labels: [CANARY],
    recipe,
  })
  const idle = await make('/api/v1/tasks', { name: `${CANARY} idle`, recipe })
  const drifted = await make(`/api/v1/tasks/${idle}/executions`)
  await make(`/api/v1/executions/${drifted}/cancel`)
  const [execution, paused, finished] = [
    await make(`/api/v1/tasks/${task}/executions`),
    await make(`/api/v1/tasks/${task}/executions`),
    await make(`/api/v1/tasks/${task}/executions`),
  ]
  await make(`/api/v1/executions/${paused}/pause`)
  await host.call('PATCH', `/api/v1/tasks/${task}`, { body: { schedule: { cron: '@yearly' } } })
  await refuseTick(host, task)
  await make(`/api/v1/executions/${finished}/cancel`)
  for (const id of [execution, finished]) {
    await countCanary(host, id)
    await host.addSegment(id, [{ title: CANARY }, { title: `${CANARY} again` }])
    for (const seq of [0, 1])
      await host.addVisit({
        execution: id,
        seq,
        url: `https://${CANARY}.example.com/${seq}`,
        finalUrl: `https://${CANARY}.example.com/end`,
        label: CANARY,
        outcome: 'failed',
        reason: { code: CANARY, message: CANARY },
      })
  }
  const media = await addMedia(host, 'acme', {
    bytes: new TextEncoder().encode(JSON.stringify({ of: CANARY })),
    declared: 'application/json',
    sourceUrl: `https://${CANARY}.example.com/${CANARY}.json`,
  })
  const key = await make('/api/v1/keys', { name: CANARY, scopes: ['keys:write'] })
  const dataset = await seedDataset(host, make)
  const spare = await make('/api/v1/datasets', {
    name: `${CANARY} spare`,
    description: CANARY,
    keyFields: [CANARY],
  })
  const hook = {
    url: `https://${CANARY}.example.com/hook`,
    description: CANARY,
    events: ['*'],
    labels: [CANARY],
  }
  await make('/api/v1/webhooks', hook)
  const webhook = await make('/api/v1/webhooks', hook)
  await make(`/api/v1/webhooks/${webhook}/test`)
  const delivery = await make(`/api/v1/webhooks/${webhook}/test`)
  const topUp = await seedBilling(host, task, make)
  await sampleHealth(host, task, finished)
  await addProposal(host, drifted, `.${CANARY}-title`)
  await seedAudit(host)
  const snapshot = await host.snapshots.keep('acme', {
    url: `https://${CANARY}.example.com/`,
    contentType: 'text/html',
    body: new TextEncoder().encode(`<p>${CANARY}</p><img src="/a.png">`),
  })
  const agentic = await make('/api/v1/mcp/agentic-executions', {
    tool: 'search',
    arguments: { query: CANARY },
  })
  return {
    host,
    task,
    idle,
    execution,
    paused,
    finished,
    drifted,
    key,
    dataset,
    spare,
    media,
    webhook,
    delivery,
    topUp,
    snapshot: String(snapshot),
    agentic,
    async cursor(path) {
      const { body } = await host.call('GET', `${path}?limit=1`)
      return String(body.data.nextCursor)
    },
  }
}

/** A dataset that has merged two rows. */
async function seedDataset(
  host: Seeded['host'],
  make: (path: string, body?: unknown) => Promise<string>,
): Promise<string> {
  const dataset = await make('/api/v1/datasets', {
    name: `${CANARY} dataset`,
    description: CANARY,
    keyFields: ['title'],
    mergePartial: true,
  })
  const task = await make('/api/v1/tasks', { name: `${CANARY} feeder`, recipe, datasetId: dataset })
  const execution = await make(`/api/v1/tasks/${task}/executions`)
  await host.addSegment(execution, [{ title: CANARY }, { title: `${CANARY} again` }])
  await make(`/api/v1/executions/${execution}/cancel`)
  await mergeAll(host.records, host.blobs, 'acme', dataset)
  return dataset
}

/** The outcome of a schedule's last time can name words of the recipe. */
async function refuseTick({ records }: Seeded['host'], task: string): Promise<void> {
  const schedule = await records.schedules.get('acme', task)
  if (!schedule) throw new Error('no such schedule')
  const change = new Change()
  records.schedules.update(change, 'acme', schedule, {
    ...schedule.value,
    last: { at: 0, outcome: 'refused', execution: null, message: CANARY },
  })
  await records.commit(change)
}

/** Whoever wrote, and by which key, is the account's. */
async function seedAudit({ records, clock }: Seeded['host']): Promise<void> {
  const change = new Change()
  for (const index of [0, 1])
    records.audits.insert(change, 'acme', {
      id: `aud_${index}`,
      at: clock.now(),
      operation: 'tasks.create',
      subject: null,
      user: CANARY,
      key: CANARY,
      ip: CANARY,
      requestId: CANARY,
      status: 201,
      code: null,
    })
  await records.commit(change)
}

/** The names of columns are the recipe's. */
async function sampleHealth(
  { records, clock }: Seeded['host'],
  task: string,
  execution: string,
): Promise<void> {
  const change = new Change()
  records.health.insert(change, 'acme', {
    task,
    recipe: CANARY,
    samples: [{ execution, at: clock.now(), rows: 2, filled: { [CANARY]: 1 } }],
  })
  await records.commit(change)
}

/** A plan of its own, a top-up, an adjustment and a page that was paid. */
async function seedBilling(
  { billing, records, clock }: Seeded['host'],
  task: string,
  make: (path: string, body?: unknown) => Promise<string>,
): Promise<string> {
  await billing.setPlan('acme', { plan: `${CANARY}-plan`, dailyCap: 1_000_000 })
  await billing.adjust('acme', { id: CANARY, credits: 5, note: CANARY })
  const change = new Change()
  enterInto(records, change, 'acme', {
    id: 'le_seeded',
    period: '2026-01',
    at: clock.now(),
    kind: 'settle',
    cause: CANARY,
    moves: { held: -1, revenue: 1 },
    execution: CANARY,
    task,
    pages: [[0, 'fetched', 1]],
  })
  await records.commit(change)
  return make('/api/v1/billing/top-ups', {
    credits: 10,
    returnUrl: `https://${CANARY}.example.com/`,
  })
}

/** Counters are keyed by what the recipe and the web say. */
async function countCanary({ records }: Seeded['host'], execution: string): Promise<void> {
  const progress = await records.progress.get('acme', execution)
  if (!progress) throw new Error('no such execution')
  const change = new Change()
  records.progress.put(change, 'acme', {
    ...progress.value,
    filled: { [CANARY]: 2 },
    errors: { [CANARY]: 2 },
    firstError: CANARY,
  })
  await records.commit(change)
}
