import { keptPrices } from '../kernel/price.ts'
import type { JobResult } from '../ports/queue.ts'
import { Change } from '../records/change.ts'
import type { AdvanceOptions, Held } from './advance-options.ts'
import { crawlRun } from './crawl-run.ts'
import { Fence } from './fence.ts'
import { finish } from './finish.ts'
import { Overtaken } from './overtaken.ts'
import type { Journal } from './journal.ts'
import { KeptSource, WITHOUT_WEB } from './kept-source.ts'
import { emptyOutcome } from './outcome.ts'
import { prepareRun } from './prepare-run.ts'
import type { Rest, Stop } from './run-options.ts'
import { stopReason, verdict } from './verdict.ts'

/** Skipped URLs of one commit. */
const BATCH = 500
/** Hosts of which is kept when they may be asked again, and for how long, in ms. */
const MOST_HOSTS = 1_000
const HOSTS_MS = 86_400_000

/**
 * Works on one execution until it is finished, stopped by `signal`, someone else's, or another
 * account's turn has come. Safe to call at any time, any number of times, from any number of
 * workers: only the holder of the fence can write.
 */
export async function advance(
  options: AdvanceOptions,
  account: string,
  executionId: string,
  delivery: Pick<Held, 'signal' | 'lost' | 'turn'>,
): Promise<JobResult> {
  const { records, clock, leaseMs } = options
  const execution = await records.executions.get(account, executionId)
  if (!execution || (execution.value.status !== 'queued' && execution.value.status !== 'running'))
    return 'done'
  const fence = await Fence.take(records, account, execution, {
    holder: options.newHolder(),
    now: clock.now(),
    leaseMs,
  })
  if (fence === 'lost') return { again: clock.now() }
  if (!(fence instanceof Fence)) return { again: fence.busyUntil }
  options.changed(executionId)
  const leaves = options.crewmates.lead(executionId)
  try {
    return await hold(
      overKept({
        ...options,
        ...delivery,
        account,
        execution,
        fence,
        startedAt: execution.value.startedAt ?? clock.now(),
        source: null,
      }),
    )
  } catch (error) {
    if (error instanceof Overtaken) return 'done'
    await release(options, executionId, fence)
    throw error
  } finally {
    leaves()
    options.changed(executionId)
  }
}

/**
 * The same over kept pages, where the execution reads those: nothing is asked of the web, and
 * nothing is paid for it.
 */
function overKept(held: Held): Held {
  const { extractOf } = held.execution.value
  if (extractOf === undefined) return held
  return {
    ...held,
    ...WITHOUT_WEB,
    prices: keptPrices(held.prices),
    source: new KeptSource({ ...held, execution: extractOf }),
  }
}

/** From what there is of an execution to its end, or to where the worker is to stop. */
async function hold(held: Held): Promise<JobResult> {
  const { clock, account, execution, fence } = held
  const { id } = execution.value
  const prepared = await prepareRun(held)
  if (prepared === 'stopped' || prepared === 'gave_way') return putDown(held)
  if (prepared === 'timed_out' || 'code' in prepared) {
    const ending =
      prepared === 'timed_out'
        ? { status: 'timed_out' as const, reason: stopReason('time_limit') }
        : { status: 'failed' as const, reason: prepared }
    await finish(held, account, id, fence, ending, clock.now())
    return 'done'
  }
  const { stop, rest } = await crawlRun(held, prepared)
  if (stop === 'interrupted' || stop === 'gave_way') return putDown(held, rest)
  const { plan, journal } = prepared
  await skipRest(held, journal, stop)
  await finish(
    held,
    account,
    id,
    fence,
    {
      ...verdict(plan, journal.progress, stop),
      found: { progress: journal.progress, columns: plan.columns },
    },
    clock.now(),
  )
  return 'done'
}

/** Whoever works next goes on at once, or when a host may be asked again. */
async function putDown(held: Held, rest?: Rest): Promise<JobResult> {
  await release(held, held.execution.value.id, held.fence, rest)
  return { again: rest?.resumeAt ?? held.clock.now() }
}

/** Gives every URL that a limit left unvisited its outcome, so that the receipt is whole. */
async function skipRest(
  { records, account, execution }: Held,
  journal: Journal,
  stop: Stop,
): Promise<void> {
  if (stop === 'exhausted') return
  for (;;) {
    const rest = await records.frontier.list(account, {
      within: [execution.value.id],
      limit: BATCH,
    })
    if (rest.length === 0) return
    await journal.write(
      rest.map(({ value }) => emptyOutcome(value, 'skipped_limit', stopReason(stop))),
    )
  }
}

/** Lets another worker go on at once. Best effort: without it the lease runs out by itself. */
async function release(
  { records, clock, logger }: AdvanceOptions,
  executionId: string,
  fence: Fence,
  rest?: Rest,
): Promise<void> {
  const change = new Change()
  fence.release(change)
  if (rest)
    records.hostTurns.put(
      change,
      fence.account,
      { execution: executionId, hosts: rest.hosts.slice(0, MOST_HOSTS) },
      clock.now() + HOSTS_MS,
    )
  try {
    await records.commit(change)
  } catch (error) {
    logger.warn('A fence could not be released; it ends with its lease', {
      execution: executionId,
      error,
    })
  }
}
