import { equal, present } from '../cases/expect.ts'
import type { Case } from '../cases/stage.ts'
import type { AlarmStage } from './alarm-stage.ts'
import { isWhole, pathsOf, taskOf } from './event-tasks.ts'

const DAY_MS = 86_400_000

/** Work that is over when its last page has been requested and its results are written. */
async function ends({ client }: AlarmStage, task: string): Promise<void> {
  const [execution] = (await client.executions.list({ taskId: task })).items
  await client.executions.wait(present(execution, 'the execution').id)
}

/** Work that only the alarms of an object do. */
export const alarmCases: readonly Case<AlarmStage>[] = [
  {
    name: 'alarm: an execution whose object was thrown out of memory is carried on by the next, without a request',
    async run(stage) {
      const { client, site } = stage
      const task = await client.tasks.create(taskOf(site, 'evicted'))
      const last = site.hold(['/evicted/4'])
      const third = site.hold(['/evicted/2'])
      await client.executions.start(task.id)
      await third.reached()
      await stage.evict()
      third.release()
      await last.reached()
      last.release()
      await ends(stage, task.id)
      await isWhole(stage, task.id, 'evicted')
      equal([site.asked('/evicted/0').length, site.asked('/evicted/3').length], [1, 1], 'asked')
    },
  },
  {
    name: 'alarm: an execution whose process was killed is carried on by the next, without a request',
    async run(stage) {
      const { client, site } = stage
      const task = await client.tasks.create(taskOf(site, 'killed'))
      const last = site.hold(['/killed/4'])
      const third = site.hold(['/killed/2'])
      await client.executions.start(task.id)
      await third.reached()
      await stage.crash()
      third.release()
      await last.reached()
      last.release()
      await ends(stage, task.id)
      await isWhole(stage, task.id, 'killed')
      equal([site.asked('/killed/0').length, site.asked('/killed/3').length], [1, 1], 'asked')
    },
  },
  {
    name: 'alarm: a task whose time came while nothing ran is run when something does, without a request',
    async run(stage) {
      const { client, site } = stage
      const task = await client.tasks.create({
        ...taskOf(site, 'due'),
        schedule: { cron: '0 3 * * *' },
      })
      const last = site.hold(['/due/4'])
      await stage.crash(DAY_MS)
      await last.reached()
      last.release()
      await ends(stage, task.id)
      await isWhole(stage, task.id, 'due')
      equal(site.asked('/due/'), pathsOf('due'))
      equal((await client.tasks.schedule(task.id)).last?.outcome, 'started')
    },
  },
  {
    name: 'alarm: all that was done agrees with itself',
    async run(stage) {
      const { ok, differences } = await stage.verify()
      equal([ok, differences], [true, []])
    },
  },
]
