import { createRecords } from '../../src/features/records.ts'
import { isFinal } from '../../src/features/executions/lifecycle.ts'
import type { ExecutionRecord } from '../../src/features/executions/records.ts'
import { SYSTEM } from '../../src/records/collection.ts'
import type { Customer } from './customer.ts'
import type { Operator } from './operator.ts'
import type { Reading } from './sites.ts'
import { checkTimetables } from './oracles/schedules.ts'
import { checkActs, checkAudit } from './oracles/trails.ts'
import { withoutIds } from './without-ids.ts'
import type { World } from './world.ts'

const ALL = 100_000
const PAGE = 100
const HOUR = 3_600_000

/** A store with rows, and the functions that call it and report a broken promise. */
export type Place = Pick<World, 'store' | 'call' | 'broke'>

/** Rows or items of a list, all pages of it. */
async function listAll(world: Place, account: string, path: string): Promise<unknown[]> {
  const items: unknown[] = []
  for (let cursor: string | null = ''; ;) {
    const mark: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await world.call(account, 'GET', `/api/v1${path}?limit=${PAGE}${mark}`)
    if (answer?.status !== 200) {
      world.broke(`${withoutIds(path)} is ${answer?.status} when all is calm`)
      return items
    }
    const { data }: { data: { items: unknown[]; nextCursor: string | null } } = JSON.parse(
      answer.text,
    )
    items.push(...data.items)
    if (data.nextCursor === null) return items
    cursor = data.nextCursor
  }
}

/** Checks everything that must be true once there are no more faults and all work has ended. */
export async function checkEnd(
  world: World,
  customers: readonly Customer[],
  strangers: readonly { readonly account: string }[],
  operator: Operator,
): Promise<void> {
  const records = createRecords(world.store)
  const broke = (text: string): void => world.broke(text)
  for (const customer of customers) {
    const { account } = customer
    const executions = (await records.executions.list(account, { limit: ALL })).map(
      ({ value }) => value,
    )
    for (const execution of executions)
      if (!isFinal(execution.status)) broke(`an execution never ends: it is ${execution.status}`)
    checkAcknowledged(world, customer, executions)
    await checkTasks(world, customer)
    for (const execution of executions) {
      const started = customer.executions.get(execution.id)
      const task = execution.taskId === null ? null : customer.tasks.get(execution.taskId)
      const reading = started?.reading ?? task?.reading
      if (reading && execution.rowsDeletedAt === undefined)
        await checkRows(world, account, execution, reading)
    }
    checkSchedules(world, executions)
    checkTimetables(world, customer.tasks, executions)
    await checkAudit(world, customer)
    await checkEvents(world, customer, executions)
    await checkTopUps(world, customer)
    await checkDatasets(world, customer, executions)
    await customer.keys.checkAll()
  }
  for (const { account } of strangers) {
    const executions = await records.executions.list(account, { limit: ALL })
    for (const { value } of executions)
      if (!isFinal(value.status)) broke(`a stranger's execution never ends: it is ${value.status}`)
    checkSchedules(
      world,
      executions.map(({ value }) => value),
    )
  }
  await checkBlobs(
    world,
    [...customers, ...strangers].map(({ account }) => account),
  )
  await checkAdjustments(world, operator)
  await checkActs(world, operator)
  const report = await world.processes[0]?.platform?.verify()
  for (const { area, message } of report?.differences ?? [])
    broke(`verify: ${area}: ${withoutIds(message)}`)
  const now = world.timeline.now()
  for (const { value } of await records.jobs.list(SYSTEM, { limit: ALL }))
    if (value.dueAt < now - HOUR) broke(`a job is stuck: ${value.kind}`)
  const outbox = await records.outbox.list(SYSTEM, { limit: 10 })
  if (outbox.some(({ value }) => value.at < now - HOUR)) broke('the outbox is stuck')
}

/**
 * Rows of an execution that is gone are gone too, and no bytes are left of commits that failed.
 * (That each segment has its blob is watched all the time.)
 */
async function checkBlobs(world: World, accounts: readonly string[]): Promise<void> {
  const records = createRecords(world.store)
  const owned = new Set<string>()
  for (const account of accounts)
    for (const { value } of await records.executions.list(account, { limit: ALL }))
      for (const segment of await records.segments.list(account, {
        within: [value.id],
        limit: ALL,
      }))
        owned.add(segment.value.blob)
  const rows = (await world.blobs.list('')).filter((name) => name.endsWith('.jsonl'))
  const left = rows.filter((name) => !owned.has(name))
  for (const name of left) world.tell(`${name} has no owner`)
  if (left.length > 0) world.broke('a blob of rows without an owner is left')
}

/** Each adjustment that an operator was told of is in the ledger once. */
async function checkAdjustments(world: World, { adjusted }: Operator): Promise<void> {
  const records = createRecords(world.store)
  for (const [account, { known, unknown }] of adjusted) {
    const entries = await records.ledger.list(account, { limit: ALL })
    const entered = entries.filter(({ value }) => value.kind === 'adjust').length
    if (entered < known.length) world.broke('an acknowledged adjustment is not in the ledger')
    if (entered > known.length + unknown) world.broke('one adjustment was entered twice')
  }
}

/** Each acknowledged record exists once, and no record exists that was not requested. */
function checkAcknowledged(
  world: World,
  customer: Customer,
  executions: readonly ExecutionRecord[],
): void {
  const there = new Set(executions.map(({ id }) => id))
  for (const { id, taskId, isDeleted } of customer.executions.values()) {
    const isGone = isDeleted || (taskId !== null && customer.tasks.get(taskId)?.isDeleted === true)
    if (!there.has(id) && !isGone) world.broke('an acknowledged execution is not there')
  }
  const surplus = executions.filter(
    ({ id, scheduledFor }) => !customer.executions.has(id) && scheduledFor === undefined,
  )
  if (surplus.length > customer.unknownRuns)
    world.broke(
      `${surplus.length} executions were made by ${customer.unknownRuns} calls of unknown outcome`,
    )
}

async function checkTasks(world: World, customer: Customer): Promise<void> {
  const items = await listAll(world, customer.account, '/tasks')
  const names = items.map((item) =>
    typeof item === 'object' && item !== null && 'name' in item ? String(item.name) : '',
  )
  if (new Set(names).size < names.length) world.broke('one call made two tasks')
  const wantedNames = new Set([...customer.tasks.values()].map(({ name }) => name))
  for (const { name, isDeleted } of customer.tasks.values())
    if (!isDeleted && !names.includes(name)) world.broke('an acknowledged task is not there')
  for (const name of names)
    if (!wantedNames.has(name) && !customer.unknownTasks.has(name))
      world.broke('a task is there that nobody has asked for')
}

/** Compares rows with the truth: each fetched page gave its rows once, and no page was left out. */
export async function checkRows(
  world: Place,
  account: string,
  execution: ExecutionRecord,
  reading: Reading,
): Promise<void> {
  const { id, status } = execution
  if (execution.extractOf !== undefined) return
  const records = createRecords(world.store)
  const visits = (await records.visits.list(account, { within: [id], limit: ALL })).map(
    ({ value }) => value,
  )
  const most = reading.recipe.budget?.pages ?? Infinity
  const requested = visits.filter(({ outcome }) => !outcome.startsWith('skipped_')).length
  if (requested > most) world.broke('a run has visited more pages than its limit')
  if (visits.some(({ outcome, credits }) => outcome !== 'fetched' && credits > 0))
    world.broke('a page that was not fetched was charged')
  const fetched = visits.filter(({ outcome }) => outcome === 'fetched')
  const truth = fetched.flatMap(({ url }) => reading.rowsOf(url)).map(textOf)
  const rows = (await listAll(world, account, `/executions/${id}/results`)).map(textOf)
  if (JSON.stringify(rows.toSorted()) !== JSON.stringify(truth.toSorted()))
    world.broke(
      `rows are not those of the pages that were fetched (${rows.length}, not ${truth.length})`,
    )
  if (status !== 'succeeded' || reading.isLimited || execution.reason !== null) return
  const seen = new Set(visits.map(({ url }) => url))
  for (const { url } of fetched)
    for (const link of reading.linksOf(url))
      if (!seen.has(link)) world.broke('a run that succeeded has left out a page')
}

function textOf(row: unknown): string {
  return typeof row === 'object' && row !== null
    ? JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : String(row)
}

function checkSchedules(world: World, executions: readonly ExecutionRecord[]): void {
  const times = executions.flatMap(({ taskId, scheduledFor }) =>
    scheduledFor === undefined ? [] : [`${taskId} ${scheduledFor}`],
  )
  if (new Set(times).size < times.length)
    world.broke('one scheduled time has started two executions')
}

/** Receivers got one event of the end of each execution, or its delivery says why they did not. */
async function checkEvents(
  world: World,
  { account, webhook }: Customer,
  executions: readonly ExecutionRecord[],
): Promise<void> {
  if (webhook === null) return
  const records = createRecords(world.store)
  const deliveries = await records.webhookDeliveries.list(account, {
    within: [webhook],
    limit: ALL,
  })
  const failed = deliveries
    .filter(({ value }) => value.status === 'failed')
    .map(({ value }) => value.body)
  const ends = new Map<string, Set<string>>()
  for (const { url, id, type, body } of world.web.received) {
    if (!url.endsWith(`/${account}`) || !/^execution\.(succeeded|failed|cancelled)$/.test(type))
      continue
    const execution = /exec_\w{26}/.exec(body)?.[0] ?? ''
    ends.set(execution, (ends.get(execution) ?? new Set()).add(`${type} ${id}`))
  }
  for (const { id, status } of executions) {
    const endsHeard = ends.get(id)?.size ?? 0
    if (isFinal(status) && endsHeard > 1) world.broke('an execution has ended by two events')
    if (isFinal(status) && endsHeard === 0 && !failed.some((body) => body.includes(id)))
      world.broke('nobody was told of the end of an execution')
  }
}

/** Each charge is in the ledger once. */
async function checkTopUps(world: World, customer: Customer): Promise<void> {
  const records = createRecords(world.store)
  const entries = await records.ledger.list(customer.account, { limit: ALL })
  const entered = entries.filter(({ value }) => value.kind === 'top_up').length
  const charged = [...world.charged.values()].filter(
    ({ account }) => account === customer.account,
  ).length
  if (entered > charged) world.broke('a top-up was entered that was not paid')
  if (entered < customer.topUps.size) world.broke('an acknowledged top-up is not in the ledger')
  if (charged > customer.topUps.size + customer.unknownTopUps)
    world.broke('a payer was charged twice for one call')
}

/** A dataset has the rows of the runs that were merged into it, each item once. */
async function checkDatasets(
  world: World,
  { account, datasets, tasks, executions: started }: Customer,
  executions: readonly ExecutionRecord[],
): Promise<void> {
  for (const id of datasets) {
    const items = await listAll(world, account, `/datasets/${id}/items`)
    // No page of a site ever goes.
    if (items.some((item) => /"state":"gone"/.test(JSON.stringify(item))))
      world.broke('an item of a page that is there is gone')
    const titles = items.map((item) => /"title":"([^"]*)"/.exec(JSON.stringify(item))?.[1] ?? '')
    if (new Set(titles).size < titles.length) world.broke('an item is in a dataset twice')
    // A deleted execution may have been merged before.
    const isWhole = ![...started.values(), ...tasks.values()].some(
      (one) => one.isDeleted || ('hasNoRows' in one && one.hasNoRows),
    )
    const expected = new Set<string>()
    const possible = new Set([...tasks.values()].flatMap(({ reading }) => titlesOf(reading)))
    for (const execution of executions) {
      if (execution.datasetId !== id || execution.status !== 'succeeded') continue
      if (execution.rowsDeletedAt !== undefined) continue
      for (const row of await listAll(world, account, `/executions/${execution.id}/results`))
        if (typeof row === 'object' && row !== null && 'title' in row)
          expected.add(String(row.title))
    }
    for (const title of expected)
      if (!titles.includes(title) && !world.unmerged.has(id))
        world.broke('rows of a run that succeeded are not in their dataset')
    for (const title of titles)
      if (isWhole ? !expected.has(title) : !possible.has(title))
        world.broke('an item is in a dataset that no run has given')
  }
}

function titlesOf({ site }: Reading): string[] {
  return site.lists.flat().map(({ title }) => title)
}
