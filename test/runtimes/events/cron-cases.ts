import { equal, present, that } from '../cases/expect.ts'
import type { Case } from '../cases/stage.ts'
import type { CronStage } from './cron-stage.ts'
import { isWhole, PAGES, pathsOf, taskOf } from './event-tasks.ts'

/** Longer than the lease of a worker that shows no sign of life. */
const LEASE_MS = 31_000
/** Longer than workerd takes to start, however busy the machine is. */
const LONG_LEASE_MS = 600_000
/** Enough time to begin on any machine, but not to end. */
const SHORT_MS = 2_500
const MOST_EVENTS = 50
const TAKEN_AWAY = 'the suite has taken the database away'

/** Work that only a cron trigger does. */
export const cronCases: readonly Case<CronStage>[] = [
  {
    name: 'cron: a task whose time has come is run by an event and nothing else',
    async run(stage) {
      const { client, site } = stage
      const task = await client.tasks.create({
        ...taskOf(site, 'due'),
        schedule: { cron: '0 3 * * *' },
      })
      const [next] = (await client.tasks.schedule(task.id)).nextRuns
      equal(await stage.fire(), 'ok')
      equal(site.asked('/due/'), [], 'asked before it was due')
      stage.passTo(present(next, 'the next run'))
      equal(await stage.fire(), 'ok')
      equal(site.asked('/due/'), pathsOf('due'), 'asked by one event')
      await isWhole(stage, task.id, 'due')
      equal(await stage.fire(), 'ok')
      equal(site.asked('/due/').length, PAGES.length, 'asked by the next')
      equal((await client.tasks.schedule(task.id)).last?.outcome, 'started')
      await client.tasks.delete(task.id)
    },
  },
  {
    name: 'cron: what does not get done in the time of an event is gone on with by the next',
    async run(stage) {
      const { client, site } = stage
      const task = await client.tasks.create(taskOf(site, 'long'))
      const { id } = await client.executions.start(task.id)
      const held = site.hold(['/long/2'])
      for (let events = 1; site.asked('/long/2').length === 0; events++) {
        that(events < MOST_EVENTS, 'it comes to the third page')
        equal(await stage.fire({ tickMs: SHORT_MS }), 'ok')
      }
      equal((await client.executions.get(id)).status, 'running')
      held.release()
      const before = site.asked('/long/').length
      equal(await stage.fire(), 'ok')
      await isWhole(stage, task.id, 'long')
      equal(site.asked('/long/').slice(before), pathsOf('long').slice(2), 'asked by the last event')
    },
  },
  {
    name: 'cron: an execution whose isolate was killed is carried on by an event when its lease is over',
    async run(stage) {
      const { client, site } = stage
      const task = await client.tasks.create(taskOf(site, 'lost'))
      await client.executions.start(task.id)
      const held = site.hold(['/lost/2'])
      const fired = stage.fire({ leaseMs: LONG_LEASE_MS }).catch(() => 'lost')
      await held.reached()
      await stage.crash()
      equal(await fired, 'lost')
      held.release()
      equal(await stage.fire(), 'ok')
      equal(site.asked('/lost/'), ['/lost/0', '/lost/1', '/lost/2'], 'asked while the lease runs')
      stage.pass(LONG_LEASE_MS)
      equal(await stage.fire(), 'ok')
      await isWhole(stage, task.id, 'lost')
      equal(site.asked('/lost/3'), ['/lost/3'])
    },
  },
  {
    name: 'cron: webhooks are delivered by events, and tried again when that is due',
    async run(stage) {
      const { client, site } = stage
      const webhook = await client.webhooks.create({
        url: `${site.url}/hooks/cron`,
        events: ['execution.succeeded'],
      })
      const task = await client.tasks.create(taskOf(site, 'told'))
      await client.executions.start(task.id)
      site.answerHooks(503)
      equal(await stage.fire(), 'ok')
      equal(site.asked('/hooks/').length, 1, 'attempts by the first event')
      const delivery = async () =>
        present((await client.webhooks.deliveries(webhook.id)).items[0], 'the delivery')
      const { status, nextAttemptAt } = await delivery()
      equal(status, 'pending')
      equal(await stage.fire(), 'ok')
      equal(site.asked('/hooks/').length, 1, 'attempts before the next is due')
      stage.passTo(present(nextAttemptAt, 'the next attempt'))
      equal(await stage.fire(), 'ok')
      equal(site.asked('/hooks/').length, 2, 'attempts when it was due')
      equal((await delivery()).status, 'succeeded')
      await isWhole(stage, task.id, 'told')
      await client.webhooks.delete(webhook.id)
    },
  },
  {
    name: 'cron: two events at once in two isolates share the work and do nothing twice',
    async run(stage) {
      const { client, site } = stage
      const scheduled = await client.tasks.create({
        ...taskOf(site, 'shared-due'),
        schedule: { cron: '30 4 * * *' },
      })
      stage.passTo(present((await client.tasks.schedule(scheduled.id)).nextRuns[0], 'the next run'))
      const folders = Array.from({ length: 6 }, (_, index) => `shared-${index}`)
      const tasks = await Promise.all(
        folders.map((folder) => client.tasks.create(taskOf(site, folder))),
      )
      for (const { id } of tasks) await client.executions.start(id)
      // An isolate runs four executions at a time, so six running ones are in both isolates.
      const held = site.hold(folders.map((folder) => `/${folder}/0`))
      const events = [stage.fire({ on: 'one' }), stage.fire({ on: 'other' })]
      await Promise.race([held.reached(), Promise.all(events)])
      held.release()
      equal(await Promise.all(events), ['ok', 'ok'])
      equal([...site.callers('/shared-')].toSorted(), ['one', 'other'])
      equal(site.asked('/shared-').toSorted(), [...folders, 'shared-due'].flatMap(pathsOf), 'asked')
      for (const [index, folder] of folders.entries())
        await isWhole(stage, present(tasks[index], 'a task').id, folder)
      await isWhole(stage, scheduled.id, 'shared-due')
      await client.tasks.delete(scheduled.id)
    },
  },
  {
    name: 'cron: an event that fails is told of, wherever it fails, and a later one does what it left',
    async run(stage) {
      const { client, site } = stage
      await stage.hears(TAKEN_AWAY, async () => equal(await stage.fire({ calls: 0 }), 'exception'))
      for (const calls of [1, 2, 3, 5, 8, 13, 21, 34]) {
        const folder = `failed-${calls}`
        const task = await client.tasks.create(taskOf(site, folder))
        await client.executions.start(task.id)
        await stage.hears(
          TAKEN_AWAY,
          async () => void (await stage.fire({ calls, tickMs: SHORT_MS, leaseMs: 1_000 })),
        )
        stage.pass(LEASE_MS)
        equal(await stage.fire(), 'ok')
        await isWhole(stage, task.id, folder)
        that(
          site.asked(`/${folder}/`).length <= 2 * PAGES.length,
          'no page was asked for more than twice',
        )
      }
    },
  },
  {
    name: 'cron: all that was done agrees with itself',
    async run(stage) {
      const { ok, differences } = await stage.verify()
      equal([ok, differences], [true, []])
    },
  },
]
