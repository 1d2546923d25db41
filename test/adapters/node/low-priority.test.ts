import { readdirSync, readFileSync } from 'node:fs'
import { platform } from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { createPageThreads } from '../../../adapters/node/page-threads.ts'
import { pageAt, TITLES } from '../../support/page-pool.ts'

/** How far each thread of this process stands back, by its number (`nice` of Linux). */
function niceOfThreads(): Map<string, number> {
  const niceOf = (thread: string): number => Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16])
  return new Map(readdirSync('/proc/self/task').map((thread) => [thread, niceOf(thread)]))
}

test.runIf(platform === 'linux')('a page thread stands back behind the thread that serves, which stays as it is', async () => {
  const before = niceOfThreads()
  const pool = createPageThreads({ threads: 1 })
  onTestFinished(() => pool.close())
  await pool.open(TITLES).process(pageAt('/a'), { label: 'start', depth: 0, hop: 1 })
  const after = niceOfThreads()
  for (const [thread, nice] of before) if (after.has(thread)) expect(after.get(thread)).toBe(nice)
  expect([...after].filter(([thread, nice]) => !before.has(thread) && nice === 10)).toHaveLength(1)
})
