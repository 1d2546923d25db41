import { restoreBackup, writeBackup } from '../../src/backup.ts'
import { createMemoryBlobs } from '../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { isFinal } from '../../src/features/executions/lifecycle.ts'
import type { ExecutionRecord } from '../../src/features/executions/records.ts'
import { createRecords } from '../../src/features/records.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/kernel/time.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import { watch } from '../support/worlds/invariants.ts'
import type { Customer } from './customer.ts'
import type { Luck } from './luck.ts'
import { STAFF } from './options.ts'
import { checkRows } from './oracles.ts'
import type { Place } from './oracles.ts'
import { MoneyOracle } from './oracles/money.ts'
import { checkTimetables } from './oracles/schedules.ts'
import { isArchived, luckOfArchive } from './snapshots.ts'
import { SimulatedProcess } from './world.ts'
import type { Acknowledged, Answer, Data, World } from './world.ts'
import { withoutIds } from './without-ids.ts'

const ALL = 100_000
/** The longest time until everything has ended in what was restored, in ms. */
const MOST_CALM = 72 * HOUR_MS
/** How long outcomes of calls are kept for sure, in ms; clocks are apart. */
const KEPT_MS = DAY_MS - HOUR_MS
/** How often, and after which time in ms, a storm is looked at until an execution is under way. */
const MOST_TRIES = 200
const TRY_MS = 500
/** How many calls are sent again. */
const AGAIN = 5

/** A backup, and what was acknowledged before it. */
interface Backup {
  readonly from: Blobs
  readonly takenAt: number
  readonly acknowledged: readonly Acknowledged[]
}

/** Checks records, and remembers them for its next look. */
type Watcher = ReturnType<typeof watch> | MoneyOracle

/**
 * A backup that is made in the midst of a storm: of all, or of one account. Once the world is over
 * it is restored elsewhere, where time goes on as if it had been restored soon or days later, and
 * everything must go on from there.
 */
export class Archive {
  readonly #world: World
  readonly #luck: Luck
  readonly #customers: readonly Customer[]
  readonly #accounts: readonly string[]
  /** The account that is exported. `null`: all is backed up. */
  readonly #whose: string | null
  #backup: Backup | null = null

  constructor(
    world: World,
    luck: Luck,
    customers: readonly Customer[],
    others: readonly { readonly account: string }[],
  ) {
    this.#world = world
    this.#luck = luck
    const [first] = customers
    this.#whose = luck.chance(0.4) ? (first?.account ?? null) : null
    this.#customers = this.#whose === null ? customers : customers.slice(0, 1)
    const accounts = [...customers, ...others].map(({ account }) => account)
    this.#accounts = this.#whose === null ? accounts : [this.#whose]
  }

  /** Makes the backup at some moment of the storm. */
  async live(stormMs: number): Promise<void> {
    const world = this.#world
    await world.timeline.sleep(stormMs * this.#luck.next())
    for (let tries = 0; tries < MOST_TRIES && !(await this.#isBusy()); tries++)
      await world.timeline.sleep(TRY_MS * world.stretch)
    if (world.isCalm) return
    const whose = this.#whose
    if (whose !== null && !(await createRecords(world.store).wallets.get(whose))) return
    const acknowledged = [...world.acknowledged]
    const takenAt = world.timeline.now()
    world.tell(`a backup is made of ${whose ?? 'all'}`)
    const from = createMemoryBlobs()
    const { missing } = await writeBackup({
      store: world.store,
      blobs: slowBlobs(world, this.#luck),
      to: from,
      clock: world.timeline,
      ...(whose !== null && { account: whose }),
    })
    world.tell('the backup is made')
    if (missing.length > 0) world.broke('backup: a blob that records name is missing')
    this.#backup = { from, takenAt, acknowledged }
  }

  /** True if an execution of a customer is not at its end: a backup then has more to keep. */
  async #isBusy(): Promise<boolean> {
    const records = createRecords(this.#world.store)
    for (const { account } of this.#customers)
      for (const status of ['queued', 'running'])
        if (
          (await records.executions.listIds('status', account, { within: [status], limit: 1 }))[0]
        )
          return true
    return false
  }

  /** Restores the backup, and checks that all goes on from there. */
  async check(): Promise<void> {
    if (!this.#backup) return
    const { from, takenAt, acknowledged } = this.#backup
    const world = this.#world
    const later = this.#luck.pick([0, MINUTE_MS, HOUR_MS, 3 * DAY_MS])
    const shift = takenAt + later - world.timeline.now()
    const store = createMemoryStore({ clock: { now: () => world.timeline.now() + shift } })
    const data: Data = { store, blobs: createMemoryBlobs() }
    await restoreBackup({ ...data, from })
    const process = new SimulatedProcess(world, 'restored', this.#luck.fork(), data)
    process.start(false)
    process.jump(shift)
    const place = new RestoredPlace(world, data, process, this.#luck)
    const watchers = this.#accounts.flatMap((account) => [
      watch(store, data.blobs, account),
      new MoneyOracle({ store, options: world.options }, account),
    ])
    await this.#verify(place)
    await this.#look(place, watchers)
    if (later <= KEPT_MS) await this.#sendAgain(place, acknowledged, takenAt + later)
    await this.#settle(place)
    await this.#look(place, watchers)
    await this.#verify(place)
    for (const customer of this.#customers) await this.#checkRuns(place, customer)
    process.kill()
  }

  async #verify({ process, broke }: RestoredPlace): Promise<void> {
    const report = await process.platform?.verify()
    for (const { area, message } of report?.differences ?? []) broke(`verify: ${area}: ${message}`)
  }

  /** Records agree with one another, and with those of the look before. */
  async #look({ broke }: RestoredPlace, watchers: readonly Watcher[]): Promise<void> {
    for (const { check, broken } of watchers) {
      await check()
      for (const promise of broken) broke(promise)
    }
  }

  /** Calls that were acknowledged before the backup have the answer that they had. */
  async #sendAgain(place: RestoredPlace, calls: readonly Acknowledged[], now: number) {
    const own = calls.filter(
      ({ account, time }) => this.#accounts.includes(account) && time > now - KEPT_MS,
    )
    // The outcomes of calls belong to a deployment: an account that moves starts without them.
    if (this.#whose !== null) return
    for (const { account, method, path, body, key, answer } of own.slice(-AGAIN)) {
      if (this.#world.suspended.has(account)) continue
      const again = await place.call(account, method, path, {
        key,
        ...(body !== undefined && { body }),
      })
      if (again?.status !== answer.status || idIn(again) !== idIn(answer))
        place.broke(
          `a call of before is ${again?.status}, and was ${answer.status}: ${method} ${withoutIds(path)}`,
        )
    }
  }

  /** Lets everything end that was begun. */
  async #settle(place: RestoredPlace): Promise<void> {
    const { timeline } = this.#world
    const records = createRecords(place.store)
    const end = timeline.now() + MOST_CALM
    for (const account of this.#accounts)
      await place.call(STAFF, 'POST', `/api/v1/operator/accounts/${account}/resume`, {
        body: { reason: 'restored' },
      })
    await place.process.tick()
    for (const account of this.#accounts)
      for (const { value } of await records.tasks.list(account, { limit: ALL }))
        if (value.schedule)
          await place.call(account, 'PATCH', `/api/v1/tasks/${value.id}`, {
            body: { schedule: null },
          })
    for (;;) {
      await place.process.tick()
      const open = await this.#openRuns(place)
      if (open.length === 0) return
      for (const { account, id, status } of open)
        if (status === 'paused')
          await place.call(account, 'POST', `/api/v1/executions/${id}/resume`)
      if (timeline.now() > end) {
        for (const { status } of open) place.broke(`an execution never ends: it is ${status}`)
        return
      }
      await timeline.sleep(10 * MINUTE_MS)
    }
  }

  async #openRuns({ store }: RestoredPlace) {
    const records = createRecords(store)
    const lists = await Promise.all(
      this.#accounts.map(async (account) =>
        (await records.executions.list(account, { limit: ALL })).map(({ value }) => ({
          account,
          id: value.id,
          status: value.status,
        })),
      ),
    )
    return lists.flat().filter(({ status }) => !isFinal(status))
  }

  /** Rows are those of the pages, and schedules have started what they should. */
  async #checkRuns(place: RestoredPlace, { account, executions, tasks }: Customer): Promise<void> {
    const records = createRecords(place.store)
    const runs: ExecutionRecord[] = (await records.executions.list(account, { limit: ALL })).map(
      ({ value }) => value,
    )
    for (const run of runs) {
      const task = run.taskId === null ? null : tasks.get(run.taskId)
      const reading = executions.get(run.id)?.reading ?? task?.reading
      if (reading && run.rowsDeletedAt === undefined) await checkRows(place, account, run, reading)
    }
    checkTimetables(place, tasks, runs)
  }
}

/** Draws whether a backup is made of the world of a seed. */
export function drawArchive(
  world: World,
  seed: number,
  customers: readonly Customer[],
  others: readonly { readonly account: string }[],
): Archive | null {
  const luck = luckOfArchive(seed)
  return isArchived(seed) ? new Archive(world, luck.fork(), customers, others) : null
}

/** The restored data, with a process that works on it. */
class RestoredPlace implements Place {
  readonly data: Data
  readonly process: SimulatedProcess
  readonly #world: World
  readonly #luck: Luck

  constructor(world: World, data: Data, process: SimulatedProcess, luck: Luck) {
    this.#world = world
    this.data = data
    this.process = process
    this.#luck = luck
  }

  get store(): Data['store'] {
    return this.data.store
  }

  readonly broke = (promise: string): void => this.#world.broke(`restored: ${promise}`)

  readonly call: Place['call'] = (account, method, path, sent = {}) =>
    this.#world.call(account, method, path, { ...sent, to: [this.process] }, this.#luck)
}

/** Blobs that take their time, so that some are deleted before their turn. */
function slowBlobs({ blobs, timeline }: World, luck: Luck): Blobs {
  const most = luck.pick([0, 100, 5_000])
  return {
    async get(name) {
      await timeline.sleep(luck.int(0, most))
      return blobs.get(name)
    },
    put: (name, bytes) => blobs.put(name, bytes),
    remove: (name) => blobs.remove(name),
    list: (prefix) => blobs.list(prefix),
    close: async () => {},
  }
}

function idIn(answer: Answer | null): string | null {
  return /"id":"([^"]*)"/.exec(answer?.text ?? '')?.[1] ?? null
}
