import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { RecipeInput } from 'seine'
import { afterAll, expect, test } from 'vitest'
import { PagePool } from '../../adapters/node/page-pool.ts'
import { openPageWork, openRowWork } from '../../src/engine.ts'
import { PAGES, TEXTS } from './families.ts'
import type { Family } from './families.ts'
import { IS_SHORT } from './measure.ts'

// Proves that a page of the largest size stays far below the heap limit of its thread. This limit
// must not be the bound of a page: if one large allocation exceeds a thread's heap, V8 ends the
// whole process (nodejs/node#47224).

/** By default the limit of the threads is 512. */
const HEAP_MB = 350
const PAGE_BYTES = 10 * 1024 * 1024

const pool = new PagePool({
  threads: 2,
  // Only memory can stop a page.
  maxPageMs: 600_000,
  clock: {
    now: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
  },
  spawn: (claims) =>
    new Worker(new URL('../../adapters/node/page-thread.ts', import.meta.url), {
      workerData: claims,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 32 },
    }),
  openHere: openPageWork,
  openRowsHere: openRowWork,
  onUnavailable: (reason) => expect.fail(reason.message),
})
afterAll(() => pool.close())

const start = { urls: ['https://a.example/'] }
const RECIPES: Readonly<Record<string, RecipeInput>> = {
  'texts of all elements': {
    start,
    extract: { fields: { css: { css: '*', many: true }, xpath: { xpath: '//*', many: true } } },
  },
  'HTML and Markdown of all elements': {
    start,
    extract: {
      fields: {
        html: { css: '*', many: true, as: 'html' },
        markdown: { css: '*', many: true, as: 'markdown' },
      },
    },
  },
  'all formats and links': {
    start,
    follow: [{ links: 'a' }],
    extract: { fields: { title: 'title' } },
    formats: ['metadata', 'markdown', 'html', 'text', 'links', 'structured'],
  },
  detection: { start, extract: 'auto' },
}

/** The recipes that took the most memory of a thread when this was written. */
const WORST = new Set([
  'one line of text',
  'quotes around lines',
  'lists in lists',
  'groups in groups',
  'lines of words',
  'cells that span all',
  'a long property around kinds',
])
const chosen = (families: readonly Family[]): readonly Family[] =>
  IS_SHORT ? families.filter(({ name }) => WORST.has(name)) : families

async function stopped(
  recipe: RecipeInput,
  families: readonly Family[],
  contentType: string,
): Promise<string[]> {
  const work = pool.open(recipe)
  const names: string[] = []
  for (const family of families) {
    const body = new TextEncoder().encode(family.make(PAGE_BYTES))
    const page = { url: 'https://a.example/', contentType, body }
    await work.process(page, { label: 'start', depth: 0, hop: 1 }).catch((error: unknown) => {
      names.push(`${family.name}: ${String(error)}`)
    })
  }
  return names
}

test.each(Object.entries(RECIPES))(
  '%s of HTML fit into the heap of a thread',
  async (_, recipe) => {
    expect(await stopped(recipe, chosen(PAGES), 'text/html; charset=utf-8')).toEqual([])
  },
)

test.each(['application/json', 'text/csv', 'application/xml', 'text/plain'])(
  'all values of %s fit into the heap of a thread',
  async (contentType) => {
    const recipe: RecipeInput = {
      start,
      extract: {
        fields: {
          values: { json: '$..*', many: true },
          elements: { css: '*', many: true },
        },
      },
      formats: ['metadata', 'markdown', 'text'],
    }
    expect(await stopped(recipe, chosen(TEXTS), contentType)).toEqual([])
  },
)
