import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createPageThreads } from '../../../adapters/node/page-threads.ts'
import type { OpenRecipe, PageProcessor, Visit } from '../../../src/ports/page-processor.ts'
import { pageProcessorContract } from '../../contracts/page-processor.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { createTestPool, pageAt, TITLES } from '../../support/page-pool.ts'
import { runNode } from '../../support/dist.ts'

pageProcessorContract('Page threads', async () => (await createTestPool()).pool)
pageProcessorContract('A page thread on its way up', async () => createPageThreads({ threads: 1 }))

const START: Visit = { label: 'start', depth: 0, hop: 1 }

function opened(pool: PageProcessor): OpenRecipe {
  onTestFinished(() => pool.close())
  return pool.open(TITLES)
}
/** The title that came out, or why nothing did. */
async function titleOf(recipe: OpenRecipe, path: string): Promise<unknown> {
  try {
    return (await recipe.process(pageAt(path), START)).rows[0]?.['title']
  } catch (error) {
    return error instanceof Error ? `error: ${error.message}` : error
  }
}
const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `/p${at}`)

test.for(['/exit', '/memory'])('a thread that dies of a page (%s) takes no other with it, and is replaced', async (trap) => {
  const { pool, threads } = await createTestPool()
  const recipe = opened(pool)
  const all = [...paths(40), trap, ...paths(40), trap, ...paths(40)]
  const outcomes = await Promise.all(all.map((path) => titleOf(recipe, path)))
  expect(outcomes.map((outcome, at) => (all[at] === trap ? String(outcome).startsWith(trap === '/exit' ? 'error: A page thread ' : 'error: The page took more memory') : outcome === all[at]))).not.toContain(false)
  expect(threads.length).toBeGreaterThan(2)
  expect(await titleOf(recipe, '/after')).toBe('/after')
})

test('threads are added while pages wait, up to the limit', async () => {
  const { pool, threads } = await createTestPool({ threads: 3 })
  const recipe = opened(pool)
  for (const path of paths(30)) expect(await titleOf(recipe, path)).toBe(path)
  expect(threads).toHaveLength(1)
  for (let round = 0; threads.length < 3 && round < 1_000; round++) await Promise.all(paths(100).map((path) => titleOf(recipe, path)))
  expect(await Promise.all(paths(300).map((path) => titleOf(recipe, path)))).toEqual(paths(300))
  expect(threads).toHaveLength(3)
})

test('an idle thread that dies is replaced when there is work again', async () => {
  const { pool, threads } = await createTestPool({ threads: 1 })
  const recipe = opened(pool)
  await threads[0]?.terminate()
  expect(threads).toHaveLength(1)
  expect(await titleOf(recipe, '/a')).toBe('/a')
  expect(threads).toHaveLength(2)
})

test('a page that takes too long fails alone', async () => {
  const clock = createFakeClock()
  const { pool, threads } = await createTestPool({ threads: 1, clock, maxPageMs: 5_000 })
  const recipe = opened(pool)
  expect(await titleOf(recipe, '/before')).toBe('/before')
  const hanging = titleOf(recipe, '/hang')
  const others = paths(30).map((path) => titleOf(recipe, path))
  await clock.advance(4_999)
  expect(threads).toHaveLength(1)
  await clock.advance(1)
  expect(await hanging).toBe('error: The page took more than 5 seconds of time and was given up')
  expect(await Promise.all(others)).toEqual(paths(30))
  expect(threads).toHaveLength(2)
})

test('pages that wait, and pages under way, can be aborted', async () => {
  const { pool, threads } = await createTestPool({ threads: 1 })
  const recipe = opened(pool)
  const controller = new AbortController()
  const aborted = ['/hang', ...paths(40)].map((path) => recipe.process(pageAt(path), START, controller.signal))
  controller.abort('stop')
  for (const page of await Promise.allSettled(aborted)) expect(page).toEqual({ status: 'rejected', reason: 'stop' })
  await threads[0]?.terminate()
  expect(await titleOf(recipe, '/after')).toBe('/after')
})

test('where threads cannot start, pages are processed all the same, and it is said once', async () => {
  const failing = (): Worker => new Worker('throw new Error("no engine")', { eval: true })
  const throwing = (): never => {
    throw new Error('no threads')
  }
  for (const spawn of [failing, throwing]) {
    const { pool, warnings, threads } = await createTestPool({ spawn })
    const recipe = opened(pool)
    expect(await Promise.all(paths(20).map((path) => titleOf(recipe, path)))).toEqual(paths(20))
    expect(warnings).toHaveLength(1)
    expect(threads).toHaveLength(spawn === failing ? 1 : 0)
  }
})

test('idle threads do not keep a process alive; a page with one does', async () => {
  const script = `import { createPageThreads } from './adapters/node/page-threads.ts'
    const recipe = createPageThreads({ threads: 1 }).open({ start: { urls: ['https://a.example/'] } })
    const page = { url: 'https://a.example/', contentType: 'text/html', body: new TextEncoder().encode('<h1>A</h1>'.padEnd(9000)) }
    const title = async () => (await recipe.process(page, { label: 'start', depth: 0, hop: 1 })).extracted
    console.log(await title(), await title())`
  expect(await runNode('--input-type=module', '-e', script)).toEqual({ code: 0, stdout: 'true true\n', stderr: '' })
})

test('refuses a number of threads that is none', () => {
  for (const threads of [0, -1, 1.5, NaN]) expect(() => createPageThreads({ threads })).toThrow(TypeError)
})
