import type { Platform } from 'seine'
import { CommandError } from '../command-error.ts'
import { OWNER } from '../data-directory.ts'
import { runExecution } from '../run-execution.ts'
import { LOCAL_POLL_MS } from '../api/workplace.ts'

/** A measurement: its name, its number of operations, and their time. */
export interface Measure {
  readonly what: string
  readonly count: number
  readonly seconds: number
  /** The measurement that is the upper bound of this one. */
  readonly limit?: Measure
}

/**
 * Fetches every page and reads only its text. No crawl on this machine with this fetcher can be
 * faster.
 */
export async function measureFetching(
  urls: readonly string[],
  concurrency: number,
  signal: AbortSignal,
): Promise<Measure> {
  const left = urls.values()
  const fetchAll = async (): Promise<void> => {
    for (const url of left) await (await globalThis.fetch(url, { signal })).text()
  }
  return timed(
    'pages fetched without processing',
    urls.length,
    async () => void (await Promise.all(Array.from({ length: concurrency }, fetchAll))),
  )
}

/**
 * Crawls the site with a task, as an application would.
 *
 * @throws {CommandError} if a page did not give its row
 */
export async function measureCrawl(
  platform: Platform,
  recipe: object,
  pages: number,
  interrupt: AbortSignal,
): Promise<{ execution: string; crawl: Measure }> {
  const task = await platform.api.tasks.create(OWNER, {
    recipe: JSON.parse(JSON.stringify(recipe)),
    labels: ['bench'],
  })
  const { id } = await platform.api.executions.start(OWNER, task.id)
  const crawl = await timed('pages crawled to stored rows', pages, async () => {
    const { status, counters } = await runExecution({
      runner: runnerOf(platform),
      id,
      interrupt,
      maxPages: pages,
    })
    interrupt.throwIfAborted()
    if (status !== 'succeeded' || counters.fetched !== pages)
      throw new CommandError(`The crawl is ${status} with ${counters.fetched} of ${pages} pages`)
  })
  return { execution: id, crawl }
}

function runnerOf({ api, worker }: Platform) {
  return {
    client: {
      executions: {
        get: (id: string) => api.executions.get(OWNER, id),
        pause: (id: string) => api.executions.pause(OWNER, id),
      },
    },
    work: (signal: AbortSignal) => worker.run({ signal }),
    pollMs: LOCAL_POLL_MS,
  }
}

/** Exports the rows as CSV and throws them away. */
export async function measureExport(platform: Platform, execution: string): Promise<Measure> {
  const { counters } = await platform.api.executions.get(OWNER, execution)
  return timed('rows exported as CSV', counters.rows, async () => {
    const { body } = await platform.api.results.export(OWNER, execution, { format: 'csv' })
    await body.pipeTo(new WritableStream())
  })
}

/**
 * Reads the execution through the HTTP contract, in process, one call after the other. This
 * includes authentication, scopes and envelopes, but no network.
 */
export async function measureCalls(
  platform: Platform,
  execution: string,
  key: string,
  count: number,
  signal: AbortSignal,
): Promise<Measure> {
  return timed('API calls, in process', count, async () => {
    for (let i = 0; i < count; i++) {
      signal.throwIfAborted()
      const response = await platform.fetch(
        new Request(`http://bench/api/v1/executions/${execution}`, {
          headers: { 'x-api-key': key },
        }),
      )
      if (!response.ok) throw new CommandError(`A call was answered with ${response.status}`)
      await response.arrayBuffer()
    }
  })
}

/** Creates tasks one after the other. Each is a commit, which is on disk before the answer. */
export async function measureCommits(
  platform: Platform,
  count: number,
  signal: AbortSignal,
): Promise<Measure> {
  return timed('tasks created, one commit each', count, async () => {
    for (let i = 0; i < count; i++) {
      signal.throwIfAborted()
      await platform.api.tasks.create(OWNER, {
        recipe: { start: { urls: ['https://example.com/'] } },
      })
    }
  })
}

async function timed(what: string, count: number, work: () => Promise<void>): Promise<Measure> {
  const start = performance.now()
  await work()
  return { what, count, seconds: (performance.now() - start) / 1_000 }
}
