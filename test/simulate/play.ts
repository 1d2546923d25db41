import { watch } from '../support/worlds/invariants.ts'
import { Customer } from './customer.ts'
import { stormMinutesOf } from './later/later.ts'
import { Operator } from './operator.ts'
import { checkEnd } from './oracles.ts'
import { MoneyOracle } from './oracles/money.ts'
import { drawPeople } from './people/people.ts'
import { drawArchive } from './restored.ts'
import { Stranger } from './stranger.ts'
import { WHOLE } from './trims.ts'
import type { Trims } from './trims.ts'
import { World } from './world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** The longest time without faults until everything has ended, in ms. */
const MOST_CALM = 72 * HOUR
/** The longest time, in ms, of what goes on in a restored deployment. */
const MOST_RESTORED = 7 * 24 * HOUR

/** How long everything rests after its end, in ms. */
const REST = 50 * HOUR

/** The result of one seed. */
export interface Played {
  readonly seed: number
  readonly broken: readonly string[]
  readonly story: readonly string[]
  /** Virtual milliseconds. */
  readonly ms: number
  readonly executions: number
  /** How long things went wrong, in virtual minutes. */
  readonly stormMinutes: number
  /** Method and path of each call that was answered as asked for. */
  readonly done: readonly string[]
  /** The number of commits of each kind that were compared with the model. */
  readonly steps: ReadonlyMap<string, number>
}

/**
 * Plays the world of a seed to its end. A pure function of its arguments and the code.
 * `mostStormMinutes`: the longest time in which things go wrong, from 10, on the world's clock;
 * times its stretch. Brief worlds have times of their own.
 */
export async function play(
  seed: number,
  mostStormMinutes: number,
  trims: Trims = WHOLE,
): Promise<Played> {
  const world = new World(seed, trims)
  const { timeline, luck } = world
  const began = timeline.now()
  const customers = Array.from(
    { length: luck.int(1, 3) },
    (_, index) => new Customer(world, `acct${index}`, luck.fork()),
  ).slice(0, trims.customers)
  const strangers = (luck.chance(0.5) ? [new Stranger(world, 'stranger', luck.fork())] : []).filter(
    () => trims.stranger,
  )
  const others = trims.others ? drawPeople(world, seed, customers) : []
  const everybody = [...customers, ...strangers, ...others]
  const operator = new Operator(
    world,
    customers.map(({ account }) => account),
    strangers[0]?.account ?? null,
    luck.fork(),
  )
  const watchers = everybody.flatMap(({ account }) => [
    watch(world.store, world.blobs, account),
    new MoneyOracle(world, account),
  ])
  const archive = drawArchive(world, seed, customers, [...strangers, ...others])
  world.tell(`stretch ${world.stretch}, a tick each ${world.tickMs} ms`)
  world.tell(`faults ${JSON.stringify(world.ground.faults)}`)
  world.start()
  const people = luck.chance(0.5) ? [...everybody, operator] : everybody
  let living = people.length
  for (const one of people)
    one
      .live()
      .catch((error: unknown) => world.broke(`somebody has failed: ${stackOf(error)}`))
      .finally(() => living--)
  const drawn = luck.int(...stormMinutesOf(seed, world.stretch, mostStormMinutes)) * world.stretch
  const stormEnd = began + Math.min(drawn, trims.until) * MINUTE
  archive
    ?.live(stormEnd - began)
    .catch((error: unknown) => world.broke(`a backup has failed: ${stackOf(error)}`))
  const isBroken = (): boolean => world.broken.size > 0
  while (timeline.now() < stormEnd && !isBroken()) {
    await timeline.runUntil(
      isBroken,
      Math.min(stormEnd, timeline.now() + 7 * MINUTE * world.stretch),
    )
    await look()
  }
  const stormMinutes = Math.ceil((timeline.now() - began) / MINUTE)
  world.calmDown()
  await timeline.runUntil(() => living === 0, timeline.now() + (2 + world.stretch) * HOUR)
  if (living > 0) world.broke('somebody never gets an answer')
  await settle()
  await rest()
  await look()
  if (!isBroken()) await inTime(checkEnd(world, customers, [...strangers, ...others], operator))
  if (!isBroken()) for (const other of others) await inTime(other.check())
  if (archive && !isBroken()) await inTime(archive.check(), MOST_RESTORED)
  return {
    seed,
    broken: [...world.broken],
    story: world.story,
    ms: timeline.now() - began,
    stormMinutes,
    done: [...world.done],
    steps: world.history.steps,
    executions: customers.reduce((sum, { executions }) => sum + executions.size, 0),
  }

  /** Checks all records while nothing runs. */
  async function look(): Promise<void> {
    for (const { check, broken } of watchers) {
      await timeline.settleNow(check())
      for (const promise of broken) world.broke(promise)
    }
  }

  /** Ends paused and planned work of customers, and works until nothing runs. */
  async function settle(): Promise<void> {
    for (const { account, tasks } of customers) {
      for (const { id, isDeleted } of tasks.values())
        if (!isDeleted)
          await inTime(
            world.call(account, 'PATCH', `/api/v1/tasks/${id}`, { body: { schedule: null } }),
          )
    }
    for (const { account } of others) await unschedule(account)
    for (const { account } of strangers) {
      const { createRecords } = await import('../../src/features/records.ts')
      const tasks = await inTime(createRecords(world.store).tasks.list(account, { limit: 1_000 }))
      for (const { value } of tasks)
        await inTime(world.call(account, 'DELETE', `/api/v1/tasks/${value.id}`))
    }
    const end = timeline.now() + MOST_CALM
    while (timeline.now() < end && !isBroken()) {
      await inTime(world.processes[0]?.tick() ?? Promise.resolve())
      const open = await inTime(openExecutions())
      for (const { account, id, status } of open)
        if (status === 'paused')
          await inTime(world.call(account, 'POST', `/api/v1/executions/${id}/resume`))
      const pending = await inTime(pendingDeliveries())
      if (open.length === 0 && pending === 0) return
      await timeline.runUntil(() => false, timeline.now() + 10 * MINUTE)
    }
  }

  /** Ends the schedules of an account. */
  async function unschedule(account: string): Promise<void> {
    const { createRecords } = await import('../../src/features/records.ts')
    const tasks = await inTime(createRecords(world.store).tasks.list(account, { limit: 1_000 }))
    for (const { value } of tasks)
      if (value.schedule)
        await inTime(
          world.call(account, 'PATCH', `/api/v1/tasks/${value.id}`, { body: { schedule: null } }),
        )
  }

  /** Lets the work of the next days be done: what is left behind is erased only then. */
  async function rest(): Promise<void> {
    const end = timeline.now() + REST
    while (timeline.now() < end && !isBroken()) {
      await timeline.runUntil(() => false, timeline.now() + HOUR)
      await inTime(world.processes[0]?.tick() ?? Promise.resolve())
    }
  }

  async function openExecutions() {
    const { createRecords } = await import('../../src/features/records.ts')
    const { isFinal } = await import('../../src/features/executions/lifecycle.ts')
    const records = createRecords(world.store)
    const lists = await Promise.all(
      everybody.map(async ({ account }) =>
        (await records.executions.list(account, { limit: 100_000 })).map(({ value }) => ({
          account,
          id: value.id,
          status: value.status,
        })),
      ),
    )
    return lists.flat().filter(({ status }) => !isFinal(status))
  }

  async function pendingDeliveries(): Promise<number> {
    const { createRecords } = await import('../../src/features/records.ts')
    const records = createRecords(world.store)
    let pending = 0
    for (const { account, webhook } of customers) {
      if (webhook === null) continue
      const deliveries = await records.webhookDeliveries.list(account, {
        within: [webhook],
        limit: 100_000,
      })
      pending += deliveries.filter(({ value }) => value.status === 'pending').length
    }
    return pending
  }

  /** Lets time pass until something has settled: `most` ms at most. */
  async function inTime<T>(promise: Promise<T>, most = 24 * HOUR): Promise<T> {
    let isSettled = false
    const settled = promise.finally(() => {
      isSettled = true
    })
    settled.catch(() => undefined)
    if (!(await timeline.runUntil(() => isSettled, timeline.now() + most)))
      throw new Error('Something never settles')
    return settled
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
