import type { RecipeInput } from 'seine'
import { performance } from 'node:perf_hooks'
import { threadCpuUsage } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PagePool } from '../../../adapters/node/page-pool.ts'
import { openPageWork, openRowWork } from '../../../src/engine.ts'
import { parseTree } from '../../../src/engine/extract/tree/parse-tree.ts'
import { PlatformError } from '../../../src/kernel/errors.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Platform } from '../../../src/platform/options.ts'
import { systemClock } from '../../../src/defaults/system-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { trapThread } from '../../support/worlds/page-pool.ts'
import { OWNER } from '../../support/worlds/world.ts'

vi.mock('../../../src/engine/extract/tree/parse-tree.ts', { spy: true })

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const site = 'https://a.example.com'
const text = 'word '.repeat(3_800)
const quotes = `${'<blockquote>'.repeat(400)}<pre>${'line\n'.repeat(20_000)}</pre>`
/** Each page costs a thread seconds or all its memory, or never ends. */
const PAGES = {
  '/divs': `<div>${text}`.repeat(480),
  '/title':
    '<meta property="og:site_name" content="S"><meta property="og:title" content="T' +
    `${' '.repeat(1_000_000)}T"><h1>T</h1><p>${text}</p>`,
  '/digits': `<ul>${`<li><a href="/x">a</a><p>${'1'.repeat(60_000)}</p></li>`.repeat(3)}</ul>`,
  '/quotes': `<article><h1>Quotes</h1>${quotes}</article>`,
  '/hang': '<h1>Hang</h1>',
}

/** So long that no preview and no call times out on a busy machine. */
const patient: Clock = {
  now: systemClock.now,
  sleep: (ms, signal) => systemClock.sleep(ms < 20_000 ? ms : 600_000, signal),
}

let pool: PagePool
let platform: Platform
/** The longest processor time of the main thread between two turns of the event loop, in ms. */
let longest = 0
const over = new AbortController()

beforeAll(async () => {
  const clock = {
    now: () => performance.now(),
    sleep: (ms: number, signal?: AbortSignal) =>
      sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
  }
  pool = new PagePool({
    threads: 2,
    maxPageMs: 1_000,
    clock,
    // As large as in production: in a smaller one V8 may end the process.
    spawn: (claims) => trapThread(claims, 512),
    openHere: () => Promise.reject(new Error('on the main thread')),
    openRowsHere: openRowWork,
    onUnavailable: (reason) => expect.fail(reason.message),
  })
  const web = createFakeWeb(
    Object.fromEntries(Object.entries(PAGES).map(([path, body]) => [site + path, { body }])),
  )
  platform = createPlatform({
    fetcher: web,
    processor: pool,
    clock: patient,
    logger: silent,
    rateLimits: false,
  })
  // Code that is loaded and compiled for the first time is not counted.
  await platform.api.previews.detect(OWNER, `${site}/none`).catch(() => {})
  await openPageWork(null)
  vi.mocked(parseTree).mockClear()
  void watch()
})
afterAll(() => platform.close())

async function watch(): Promise<void> {
  const used = (): number => (({ user, system }) => (user + system) / 1_000)(threadCpuUsage())
  for (let before = used(); !over.signal.aborted;) {
    await sleep(1)
    const now = used()
    longest = Math.max(longest, now - before)
    before = now
  }
}

/** The result, or the message of the refusal. */
const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) =>
    error instanceof PlatformError ? error.message : Promise.reject(error),
  )

test('hostile pages of executions, previews, detection and MCP fetch do not block the thread that serves', async () => {
  const fields = { divs: { css: 'div', many: true }, title: 'title' }
  const urls = Object.keys(PAGES).map((path) => site + path)
  const recipe: RecipeInput = {
    start: { urls },
    crawl: { robots: false },
    extract: { fields },
    formats: ['metadata', 'markdown'],
  }
  const task = await platform.api.tasks.create(OWNER, { name: 'hostile', recipe })
  const { id } = await platform.api.executions.start(OWNER, task.id)
  const auto: RecipeInput = {
    ...recipe,
    start: { urls: [`${site}/digits`, `${site}/hang`] },
    extract: 'auto',
  }
  const { formats: _, ...detecting } = auto
  const [, preview, , ...answers] = await Promise.all([
    platform.worker.tick(),
    platform.api.previews.run(OWNER, {
      recipe: { ...recipe, start: { urls: [`${site}/divs`, `${site}/hang`] } },
      scope: 'recipe',
    }),
    platform.api.previews.run(OWNER, { recipe: detecting, scope: 'recipe' }),
    ...['/digits', '/hang'].map((path) =>
      outcomeOf(platform.api.previews.detect(OWNER, site + path)),
    ),
    ...['/title', '/quotes', '/hang'].map((path) =>
      outcomeOf(
        platform.api.agentic.call(OWNER, { tool: 'fetch', arguments: { id: site + path } }),
      ),
    ),
  ])
  over.abort()

  // Each ends with its own result, and none with an internal error.
  const { items } = await platform.api.executions.pages(OWNER, id)
  expect(items.map(({ url }) => url).toSorted()).toEqual(urls.toSorted())
  for (const { reason } of items) if (reason) expect(reason.code).toBe('page_too_costly')
  const hang = {
    code: 'page_too_costly',
    message: 'The page took longer than 1,000 ms and was stopped',
  }
  expect(items.find(({ url }) => url.endsWith('/hang'))).toMatchObject({
    outcome: 'failed',
    reason: hang,
  })
  expect(preview.pages.find(({ url }) => url.endsWith('/hang'))).toMatchObject({
    outcome: 'failed',
    reason: hang,
  })
  expect(answers[1]).toBe(
    `${hang.message} (page_too_costly). Name the fields yourself, or look at a shorter page`,
  )
  expect(answers[4]).toBe(
    `The page could not be read: ${hang.message} (page_too_costly). Look for a shorter ` +
      'page, or for a part of it that has its own URL',
  )

  // No page was parsed in this thread, and nothing else took long.
  expect(vi.mocked(parseTree)).not.toHaveBeenCalled()
  expect(longest).toBeGreaterThan(0)
  expect(longest).toBeLessThan(400)
})
