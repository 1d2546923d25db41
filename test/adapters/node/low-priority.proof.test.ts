import { readdirSync, readFileSync } from 'node:fs'
import { platform } from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createPageThreads } from '../../../adapters/node/page-threads.ts'
import { pageAt, TITLES } from '../../support/worlds/page-pool.ts'

/** The nice value of each thread of this process, by the number of the thread (Linux). */
function niceOfThreads(): Map<string, number> {
  return new Map(readdirSync('/proc/self/task').flatMap((thread) => niceOf(thread)))
}

/** Null for a thread that has ended since they were listed. */
function niceOf(thread: string): [string, number][] {
  try {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ').at(-1)
    return [[thread, Number(fields?.split(' ')[16])]]
  } catch {
    return []
  }
}

test.runIf(platform === 'linux')(
  'a page thread gets a low priority once its page takes long; the thread that serves keeps its own',
  async () => {
    const before = niceOfThreads()
    const pool = createPageThreads({ threads: 1, maxPageMs: 120_000 })
    onTestFinished(() => pool.close())
    const lowered = (): number => {
      const after = niceOfThreads()
      for (const [thread, nice] of before)
        if (after.has(thread)) expect(after.get(thread)).toBe(nice)
      return [...after].filter(([thread, nice]) => !before.has(thread) && nice === 10).length
    }
    const visit = { label: 'start', depth: 0, hop: 1 }
    await pool.open(TITLES).process(pageAt('/a'), visit)
    expect(lowered()).toBe(0)

    let most = 0
    const state = { isOver: false }
    const fields = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [
        `f${i}`,
        { css: `div:not(.a${i}):has(b) b`, many: true },
      ]),
    )
    const body = new TextEncoder().encode('<div><p>x<b>y</b></p></div>'.repeat(5_000))
    const slow = pool
      .open({ start: { urls: ['https://a.com/'] }, extract: { fields } })
      .process({ url: 'https://a.com/', contentType: 'text/html', body }, visit)
    const over = slow.finally(() => (state.isOver = true))
    while (!state.isOver) {
      most = Math.max(most, lowered())
      await setImmediate()
    }
    await over
    // Linux gives the low priority to threads that such a thread starts as well.
    expect(most).toBeGreaterThan(0)
  },
)
