import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BEGUN, WAITS } from '../../../adapters/node/page-messages.ts'
import type { ToThread } from '../../../adapters/node/page-messages.ts'
import { createPageThreads } from '../../../adapters/node/page-threads.ts'
import type { OpenRecipe, Page, PageProcessor, Visit } from '../../../src/ports/page-processor.ts'
import { pageProcessorContract } from '../../contracts/page-processor.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createTestPool, pageAt, TITLES, trapThread } from '../../support/worlds/page-pool.ts'
import { runNode } from '../../support/sources/dist.ts'

pageProcessorContract('Page threads', async () => (await createTestPool()).pool)
pageProcessorContract('A page thread on its way up', async () => createPageThreads({ threads: 1 }))

/** The value of the claim of the trap `/gate` while it holds its thread. */
const HELD = 9
const START: Visit = { label: 'start', depth: 0, hop: 1 }

function opened(pool: PageProcessor): OpenRecipe {
  onTestFinished(() => pool.close())
  return pool.open(TITLES)
}
/** The title of the page, or the reason of its failure. */
async function titleOf(recipe: OpenRecipe, path: string): Promise<unknown> {
  try {
    return (await recipe.process(pageAt(path), START)).rows[0]?.['title']
  } catch (error) {
    return error instanceof Error ? `error: ${error.message}` : error
  }
}
const paths = (count: number): string[] => Array.from({ length: count }, (_, index) => `/p${index}`)
/** A recipe for the page of {@link manyRows}. */
const ROWS = {
  start: { urls: ['https://a.example/'] },
  extract: {
    items: 'p',
    fields: {
      text: ':scope',
      nested: { css: ':scope', many: true, fields: { a: ':scope', b: { const: [1, { c: 2 }] } } },
    },
  },
}
/** A quick page whose answer comes in many parts. */
function manyRows(): Page {
  const text = Array.from({ length: 5_000 }, (_, index) => `<p>${index}</p>`).join('')
  return { ...pageAt('/'), body: new TextEncoder().encode(text) }
}
/** Waits until so many threads are held by `/gate`. */
async function untilHeld(claims: readonly Int32Array[], threads = 1): Promise<void> {
  while (claims.filter((gate) => gate.includes(HELD)).length < threads) await turn()
}
/** Releases a thread that `/gate` holds. */
function release(gate: Int32Array): void {
  const index = gate.indexOf(HELD)
  Atomics.store(gate, index, WAITS)
  Atomics.notify(gate, index)
}

test.for(['/exit', '/memory'])(
  'a thread that a page ends (%s) is replaced, and the other threads run on',
  async (trap) => {
    const { pool, threads } = await createTestPool()
    const recipe = opened(pool)
    const all = [...paths(40), trap, ...paths(40), trap, ...paths(40)]
    const outcomes = await Promise.all(all.map((path) => titleOf(recipe, path)))
    expect(
      outcomes.map((outcome, index) =>
        all[index] === trap
          ? String(outcome).startsWith(
              trap === '/exit' ? 'error: A page thread ' : 'error: The page used more memory',
            )
          : outcome === all[index],
      ),
    ).not.toContain(false)
    expect(threads.length).toBeGreaterThan(2)
    expect(await titleOf(recipe, '/after')).toBe('/after')
    if (trap === '/memory')
      await expect(recipe.process(pageAt(trap), START)).rejects.toMatchObject({ endedThread: true })
  },
)

test.for([
  ['/exit', 'A page thread '],
  ['/memory', 'A part of the rows used more memory'],
] as const)(
  'rows that end their thread (%s) are given up; rows of others are not',
  async ([trap, message]) => {
    const { pool } = await createTestPool()
    onTestFinished(() => pool.close())
    const rows = pool.openRows({ format: 'csv', columns: [{ name: 'a', type: 'text' }] })
    const ask = async (label: string): Promise<string> => {
      const body = new TextEncoder().encode(`["${label}",{"a":"${label}"}]\n`)
      const { part } = await rows.ask({ ask: 'part', block: { body, rows: 1 }, first: 0 })
      return part?.chunks.map((chunk) => new TextDecoder().decode(chunk)).join('') ?? ''
    }
    const labels = [...paths(20), trap, ...paths(20)]
    const outcomes = await Promise.all(
      labels.map((label) => ask(label).catch((error: Error) => error.message)),
    )
    for (const [index, label] of labels.entries()) {
      if (label === trap) expect(outcomes[index]).toMatch(new RegExp(`^${message}`))
      else expect(outcomes[index]).toBe(`${label}\r\n`)
    }
    expect(await ask('/after')).toBe('/after\r\n')
  },
)

test('threads are added while pages wait, up to the limit', async () => {
  const { pool, threads } = await createTestPool({ threads: 3 })
  const recipe = opened(pool)
  for (const path of paths(30)) expect(await titleOf(recipe, path)).toBe(path)
  expect(threads).toHaveLength(1)
  for (let round = 0; threads.length < 3 && round < 1_000; round++)
    await Promise.all(paths(100).map((path) => titleOf(recipe, path)))
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
  const { pool, threads, claims } = await createTestPool({ threads: 1, clock, maxPageMs: 5_000 })
  const recipe = opened(pool)
  expect(await titleOf(recipe, '/before')).toBe('/before')
  const begun = (): number => claims[0]?.filter((claim) => claim === BEGUN).length ?? 0
  const before = begun()
  const hanging = recipe.process(pageAt('/hang'), START).catch((error: unknown) => error)
  while (begun() === before) await turn()
  const others = paths(30).map((path) => titleOf(recipe, path))
  await clock.advance(4_999)
  // One thread for the page, and one for the pages of accounts whose pages are quick.
  expect(threads).toHaveLength(2)
  await clock.advance(1)
  expect(await hanging).toMatchObject({
    message: 'The page took longer than 5,000 ms and was stopped',
    endedThread: true,
  })
  expect(await Promise.all(others)).toEqual(paths(30))
  expect(threads).toHaveLength(3)
})

test('pages that wait and pages that are being processed can be aborted', async () => {
  const { pool, threads } = await createTestPool({ threads: 1 })
  const recipe = opened(pool)
  const controller = new AbortController()
  const aborted = ['/hang', ...paths(40)].map((path) =>
    recipe.process(pageAt(path), START, controller.signal),
  )
  controller.abort('stop')
  for (const page of await Promise.allSettled(aborted))
    expect(page).toEqual({ status: 'rejected', reason: 'stop' })
  await threads[0]?.terminate()
  expect(await titleOf(recipe, '/after')).toBe('/after')
})

test('pages are processed without threads if none can start, and one warning says so', async () => {
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

test('pages of a thread that cannot be started again fail, and none is processed in this thread', async () => {
  let started = 0
  const spawn = (claims: Int32Array): Worker => {
    if (++started === 2 || started === 3) throw new Error('no memory for a thread')
    return trapThread(claims)
  }
  const here = (): Promise<never> => Promise.reject(new Error('worked on here'))
  const { pool, warnings, threads } = await createTestPool({ threads: 1, spawn, openHere: here })
  const recipe = opened(pool)
  await threads[0]?.terminate()
  const outcomes = await Promise.all(paths(4).map((path) => titleOf(recipe, path)))
  expect(outcomes).toEqual([
    'error: no memory for a thread',
    'error: no memory for a thread',
    '/p2',
    '/p3',
  ])
  expect(warnings).toEqual([])
})

test('idle threads do not keep a process alive; a thread with a page does', async () => {
  const script = `import { createPageThreads } from './adapters/node/page-threads.ts'
    const recipe = createPageThreads({ threads: 1 }).open({ start: { urls: ['https://a.example/'] } })
    const page = { url: 'https://a.example/', contentType: 'text/html', body: new TextEncoder().encode('<h1>A</h1>'.padEnd(9000)) }
    const title = async () => (await recipe.process(page, { label: 'start', depth: 0, hop: 1 })).extracted
    console.log(await title(), await title())`
  expect(await runNode('--input-type=module', '-e', script)).toEqual({
    code: 0,
    stdout: 'true true\n',
    stderr: '',
  })
})

test('a process that keeps compiled code keeps that of its threads', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'seine-code-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // The second page is answered when the thread has written its code.
  const script = `
    import { enableCompileCache } from 'node:module'
    import { createPageThreads } from 'seine/node'
    if (process.argv[1] === 'keeps') enableCompileCache(${JSON.stringify(folder)})
    const threads = createPageThreads({ threads: 1 })
    const recipe = threads.open({ start: { urls: ['https://a.example/'] }, extract: { fields: { title: 'h1' } } })
    const page = () => ({ url: 'https://a.example/', contentType: 'text/html', body: new TextEncoder().encode('<h1>A</h1>') })
    for (let count = 0; count < 2; count++) await recipe.process(page(), { label: 'start', depth: 0, hop: 1 })
    await threads.close()`
  const run = (...args: string[]) => runNode('--input-type=module', '-e', script, ...args)
  const done = { code: 0, stdout: '', stderr: '' }
  expect(await run()).toEqual(done)
  expect(await readdir(folder)).toEqual([])
  expect(await run('keeps')).toEqual(done)
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  )
  // The code of a thread is one file, far larger than the others, of which most is for pages.
  expect(Math.max(...sizes)).toBeGreaterThan(250_000)
})

test('a wrong number of threads is refused', () => {
  for (const threads of [0, -1, 1.5, NaN])
    expect(() => createPageThreads({ threads })).toThrow(TypeError)
})

test('many pages of one account delay a page of another by one page of each thread only', async () => {
  const { pool, claims } = await createTestPool({ threads: 1 })
  onTestFinished(() => pool.close())
  const flood = pool.open(TITLES, { account: 'flood' })
  const honest = pool.open(TITLES, { account: 'honest' })
  const order: string[] = []
  const ask = async (recipe: OpenRecipe, path: string): Promise<void> => {
    await recipe.process(pageAt(path), START)
    order.push(path)
  }
  // Pages that take no time let the thread have a full window of the flood.
  await Promise.all(paths(64).map((path) => ask(flood, path)))
  order.length = 0
  const all = ['/gate', ...paths(40)].map((path) => ask(flood, path))
  const [gate = new Int32Array()] = claims
  await untilHeld([gate])
  all.push(ask(honest, '/honest'))
  release(gate)
  await Promise.all(all)
  // Pages that were taken back keep their order, and none is lost.
  expect(order).toEqual(['/gate', '/honest', ...paths(40)])
})

test('a slow page delays no page of another account: one more thread takes no slow pages', async () => {
  const clock = createFakeClock()
  const { pool, threads, claims } = await createTestPool({ threads: 1, clock })
  onTestFinished(() => pool.close())
  const slow = pool.open(TITLES, { account: 'slow' })
  const honest = pool.open(TITLES, { account: 'honest' })
  const held = slow.process(pageAt('/gate'), START)
  const behind = slow.process(pageAt('/behind'), START)
  const [gate = new Int32Array()] = claims
  await untilHeld([gate])
  // When the first page of the other account comes, nobody knows yet that this one is slow.
  const first = honest.process(pageAt('/first'), START)
  await clock.advance(200)
  expect((await first).rows).toEqual([{ title: '/first' }])
  // Another page of the slow account waits, although the thread for quick pages is idle.
  let isLater = false
  const later = slow.process(pageAt('/later'), START).finally(() => (isLater = true))
  expect((await honest.process(pageAt('/second'), START)).rows).toEqual([{ title: '/second' }])
  expect(isLater).toBe(false)
  expect(threads).toHaveLength(2)
  // The thread still works on the slow page, and the pages behind it wait.
  expect(gate).toContain(HELD)
  release(gate)
  expect((await held).rows).toHaveLength(1)
  expect((await behind).rows).toHaveLength(1)
  expect((await later).rows).toHaveLength(1)

  // Now that no page is slow, the thread for quick pages gets none.
  let answers = 0
  threads[1]?.on('message', () => answers++)
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => honest.process(pageAt(`/${index}`), START)),
  )
  expect(answers).toBe(0)
})

test.for([
  [true, 2],
  [false, 1],
] as const)(
  'where a thread for quick pages is wanted (%s), a slow page alone starts %i threads',
  async ([quickThread, started]) => {
    const clock = createFakeClock()
    const { pool, threads, claims } = await createTestPool({ clock, quickThread })
    onTestFinished(() => pool.close())
    const held = pool.open(TITLES, { account: 'only' }).process(pageAt('/gate'), START)
    const [gate = new Int32Array()] = claims
    await untilHeld([gate])
    await clock.advance(500)
    expect(threads).toHaveLength(started)
    release(gate)
    expect((await held).rows).toHaveLength(1)
  },
)

test('a page whose thread waits for a processor does not count as slow', async () => {
  const clock = createFakeClock()
  const { pool, threads, claims } = await createTestPool({
    threads: 1,
    clock,
    processorMs: () => 5,
  })
  onTestFinished(() => pool.close())
  const held = pool.open(TITLES, { account: 'unlucky' }).process(pageAt('/gate'), START)
  const [gate = new Int32Array()] = claims
  await untilHeld([gate])
  await clock.advance(500)
  expect(threads).toHaveLength(1)
  release(gate)
  expect((await held).rows).toHaveLength(1)
})

test('a large answer comes in parts, between which the event loop has turns', async () => {
  const clock = createFakeClock()
  const { pool, threads } = await createTestPool({ threads: 1, clock, maxPageMs: 1_000 })
  onTestFinished(() => pool.close())
  const kinds: string[] = []
  // The turn of the event loop in which each part came.
  const turns: number[] = []
  let now = 0
  threads[0]?.on('message', ({ kind }: { kind: string }) => {
    kinds.push(kind)
    if (kind === 'part') {
      turns.push(now)
      // All parts together take longer than a page may.
      void clock.advance(200)
    }
    setImmediate(() => now++)
  })
  const { rows } = await pool.open(ROWS).process(manyRows(), START)
  expect(rows).toHaveLength(5_000)
  expect(rows[4_999]).toEqual({ text: '4999', nested: [{ a: '4999', b: [1, { c: 2 }] }] })
  expect(turns.length).toBeGreaterThan(10)
  expect(new Set(turns).size).toBe(turns.length)
  expect(kinds.at(-1)).toBe('whole')
})

test('a page does not wait for the answer of another account, which comes in parts', async () => {
  const clock = createFakeClock()
  const ready: Promise<unknown>[] = []
  const { pool, threads } = await createTestPool({
    threads: 1,
    clock,
    spawn: (claims) => {
      const thread = trapThread(claims)
      ready.push(once(thread, 'message'))
      return thread
    },
  })
  onTestFinished(() => pool.close())
  const honest = pool.open(TITLES, { account: 'honest' })
  const large = pool.open(ROWS, { account: 'large' })
  for (const recipe of [honest, large]) await recipe.process(pageAt('/'), START)
  await clock.advance(20)
  const [first, express] = threads
  if (!first || !express) throw new Error('No thread for quick pages has started')
  await Promise.all(ready)

  const order: string[] = []
  first.on('message', ({ kind }: { kind: string }) => order.push(kind))
  const send = first.postMessage.bind(first)
  vi.spyOn(first, 'postMessage').mockImplementation((message: ToThread, transfer) => {
    if (message.kind !== 'more') return send(message, transfer)
    // Less than a page may take before it counts as long; two parts take more. The rest waits, so
    // that the speed of the threads decides nothing.
    const isRest = ++parts > 2
    void clock.advance(12).then(async () => {
      if (isRest) await quick
      send(message)
    })
  })
  const quick = once(express, 'message').then(() => order.push('quick'))
  let parts = 0
  const ended = large.process(manyRows(), START)
  expect((await honest.process(pageAt('/behind'), START)).rows).toEqual([{ title: '/behind' }])
  await ended
  expect(order.indexOf('quick')).toBeGreaterThan(order.indexOf('part'))
  expect(order.indexOf('quick')).toBeLessThan(order.indexOf('whole'))
})

test('a large answer makes no page slow, however long its parts wait for the thread that serves', async () => {
  const clock = createFakeClock()
  const { pool, threads } = await createTestPool({ threads: 1, clock })
  onTestFinished(() => pool.close())
  const [first] = threads
  if (!first) throw new Error('No thread has started')
  const send = first.postMessage.bind(first)
  vi.spyOn(first, 'postMessage').mockImplementation((message: ToThread, transfer) => {
    if (message.kind !== 'more') return send(message, transfer)
    void clock.advance(30).then(() => send(message))
  })
  const { rows } = await pool.open(ROWS, { account: 'large' }).process(manyRows(), START)
  expect(rows).toHaveLength(5_000)
  // For a slow page, a thread for quick pages would have started.
  expect(threads).toHaveLength(1)
})

test('when a page of an unknown account is slow, a spare thread takes over the quick pages', async () => {
  const clock = createFakeClock()
  const { pool, threads, claims } = await createTestPool({ threads: 1, clock })
  onTestFinished(() => pool.close())
  const open = (account: string): OpenRecipe => pool.open(TITLES, { account })
  const first = open('first').process(pageAt('/gate'), START)
  await untilHeld(claims, 1)
  await clock.advance(200)
  // A thread for quick pages was started before a page waited for it, as the next account may be an
  // unknown one.
  expect(threads).toHaveLength(2)
  const second = open('second').process(pageAt('/gate'), START)
  await untilHeld(claims, 2)
  const quick = open('honest').process(pageAt('/quick'), START)
  await clock.advance(200)
  expect((await quick).rows).toEqual([{ title: '/quick' }])
  expect(threads).toHaveLength(3)
  // No page was given up.
  for (const slow of claims.slice(0, 2)) release(slow)
  expect((await first).rows).toHaveLength(1)
  expect((await second).rows).toHaveLength(1)
  expect(threads).toHaveLength(3)
})

test('the thread for quick pages starts in idle time, once two accounts have sent pages', async () => {
  const clock = createFakeClock()
  const { pool, threads } = await createTestPool({ threads: 1, clock })
  onTestFinished(() => pool.close())
  const title = async (account: string): Promise<void> => {
    await pool.open(TITLES, { account }).process(pageAt('/'), START)
    await clock.advance(20)
  }
  await title('first')
  await title('first')
  expect(threads).toHaveLength(1)
  await title('second')
  expect(threads).toHaveLength(2)
  await title('third')
  expect(threads).toHaveLength(2)
})

test('a slow page delays no other page once the thread for quick pages runs', async () => {
  const clock = createFakeClock()
  const { pool, claims } = await createTestPool({ threads: 1, clock })
  onTestFinished(() => pool.close())
  const open = (account: string): OpenRecipe => pool.open(TITLES, { account })
  const [gate = new Int32Array()] = claims
  const slow = open('slow').process(pageAt('/gate'), START)
  await untilHeld([gate])
  await clock.advance(200)
  expect((await open('honest').process(pageAt('/first'), START)).rows).toHaveLength(1)
  release(gate)
  expect((await slow).rows).toHaveLength(1)

  const long = open('unknown').process(pageAt('/gate'), START)
  await untilHeld([gate])
  const behind = open('honest').process(pageAt('/behind'), START)
  // It takes longer than 20 ms, but does not count as slow yet.
  await clock.advance(30)
  expect((await behind).rows).toEqual([{ title: '/behind' }])
  release(gate)
  expect((await long).rows).toHaveLength(1)
})

test('a large page of an unknown account counts as slow before anybody has seen how long it takes', async () => {
  const clock = createFakeClock()
  const { pool, threads, claims } = await createTestPool({ threads: 1, clock })
  onTestFinished(() => pool.close())
  const open = (account: string): OpenRecipe => pool.open(TITLES, { account })
  const first = open('first').process(pageAt('/gate'), START)
  await untilHeld(claims, 1)
  await clock.advance(200)
  expect((await open('honest').process(pageAt('/first'), START)).rows).toHaveLength(1)
  // The thread for quick pages is idle.
  expect(threads).toHaveLength(2)
  let isDone = false
  const large = open('second')
    .process(
      { ...pageAt('/large'), body: new TextEncoder().encode(`${' '.repeat(2 ** 21)}<h1>a</h1>`) },
      START,
    )
    .finally(() => (isDone = true))
  expect((await open('honest').process(pageAt('/second'), START)).rows).toHaveLength(1)
  expect(isDone).toBe(false)
  for (const slow of claims.slice(0, 1)) release(slow)
  expect((await first).rows).toHaveLength(1)
  expect((await large).rows).toEqual([{ title: 'a' }])
})
