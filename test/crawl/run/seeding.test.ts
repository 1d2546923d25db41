import { expect, it } from 'vitest'
import { KeptSource } from '../../../src/crawl/archive/kept-source.ts'
import { Fence } from '../../../src/crawl/commit/fence.ts'
import { seed } from '../../../src/crawl/run/seed.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { Change } from '../../../src/records/change.ts'
import { endlessTurn } from '../../support/fakes/job-context.ts'
import { normalUrl } from '../../support/normal-url.ts'
import { through } from '../../support/stores/fault-store.ts'
import { ACCOUNT, EXECUTION, openRun } from '../../support/worlds/open-run.ts'

// Seeding writes 500 start URLs a commit.

const URLS = Array.from({ length: 1_200 }, (_, index) =>
  normalUrl(`https://a.example.com/${index}`),
)
const RECIPE = { start: { urls: URLS }, extract: { fields: { title: 'h1' } } }
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const unused = () => Promise.reject(new Error('Nothing is asked for'))

/** A run, whose `meet` is called before each commit, and the reads of a receipt. */
async function open() {
  const watch = { meet: () => {} }
  const reads: unknown[] = []
  const run = await openRun(RECIPE, (store) => {
    const watched = through(store, (change) => {
      watch.meet()
      return store.commit(change)
    })
    return {
      ...watched,
      list(range) {
        if (range.prefix[1] === 'visits') reads.push(range.after?.at(-1))
        return store.list(range)
      },
    }
  })
  const fence = await run.takeFence('worker 1')
  if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
  const journal = await run.openJournal(fence)
  const execution = await run.execution()
  const seeding = (signal: AbortSignal, over = false, failedOf?: string) =>
    seed(
      {
        ...run,
        account: ACCOUNT,
        execution: { ...execution, value: { ...execution.value, ...(failedOf && { failedOf }) } },
        fence,
        logger: silent,
        egress: unused,
        robots: { check: unused },
        signal,
        turn: { ...endlessTurn(), ...(over && { over: AbortSignal.abort() }) },
      },
      compileRecipe(RECIPE),
      [],
      journal,
    )
  return { ...run, journal, seeding, watch, reads }
}

/** Aborts a signal at the next commit. */
function stopAtCommit(watch: { meet: () => void }): AbortSignal {
  const stop = new AbortController()
  watch.meet = () => stop.abort()
  return stop.signal
}
const never = new AbortController().signal

it('start URLs are left to the next worker by one that is stopped', async () => {
  const { journal, seeding, watch } = await open()
  expect(await seeding(stopAtCommit(watch))).toBe(null)
  expect(journal.progress).toMatchObject({ discovered: 500, seeded: false })
  expect(await seeding(never)).toBe(null)
  expect(journal.progress).toMatchObject({ discovered: 1_200, seeded: true })
})

it('so are kept pages', async () => {
  const { records, clock, journal, watch } = await open()
  const change = new Change()
  for (const [number, url] of URLS.entries())
    records.keptPages.put(change, ACCOUNT, {
      execution: EXECUTION,
      number,
      seq: number,
      url,
      label: 'start',
      depth: 0,
      hop: 1,
      finalUrl: url,
      status: 200,
      contentType: 'text/html',
      blob: 'blob',
      offset: 0,
      length: 0,
      at: 0,
    })
  await records.commit(change)
  const source = new KeptSource({
    records,
    blobs: createMemoryBlobs(),
    clock,
    account: ACCOUNT,
    execution: EXECUTION,
  })
  expect(await source.seed(journal, stopAtCommit(watch))).toBe(null)
  expect(journal.progress).toMatchObject({ discovered: 500, seeded: false })
  expect(await source.seed(journal, never)).toBe(null)
  expect(journal.progress).toMatchObject({ discovered: 1_200, seeded: true })
})

it('a retry of failed pages whose turns are over reads each part of the receipt once', async () => {
  const { records, journal, seeding, reads } = await open()
  const change = new Change()
  for (const [seq, url] of URLS.entries())
    records.visits.put(change, ACCOUNT, {
      execution: EXECUTION,
      seq,
      url,
      label: 'start',
      depth: 0,
      at: 0,
      httpStatus: null,
      finalUrl: null,
      bytes: 0,
      durationMs: 0,
      rows: 0,
      credits: 0,
      reason: null,
      // In the second part, none has failed.
      outcome: seq >= 500 && seq < 1_000 ? 'fetched' : 'failed',
    })
  await records.commit(change)
  const turns: unknown[] = []
  do turns.push(await seeding(never, true, EXECUTION))
  while (turns.at(-1) === 'gave_way')
  expect(turns).toEqual(['gave_way', 'gave_way', 'gave_way', null])
  expect(reads).toEqual([-1, 499, 999, 1_199])
  expect(journal.progress).toMatchObject({ discovered: 700, seeded: true })
})
