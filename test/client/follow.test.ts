import { expect, test } from 'vitest'
import { createScripted, done, failed, type Turn } from './scripted.ts'

const at = (status: string, visited: number): Response =>
  done({ id: 'exec_1', status, counters: { visited }, finishedAt: ['succeeded', 'failed', 'cancelled'].includes(status) ? '2026-01-01T00:00:00.000Z' : null })

/** Follows an execution that goes through these states, one a look. */
async function follow(turns: readonly Turn[], options = {}) {
  const { client, clock, tries } = createScripted(turns)
  const seen: string[] = []
  const outcome = await clock.runUntil(
    (async () => {
      for await (const { status, counters } of client.executions.follow('exec_1', options)) seen.push(`${status} ${counters.visited}`)
    })(),
  ).catch((error: unknown) => error)
  return { seen, outcome, looks: tries.map((one) => one.at) }
}

test('each state is given once, until the last', async () => {
  const { seen } = await follow([at('queued', 0), at('queued', 0), at('running', 0), at('running', 3), at('running', 3), at('paused', 3), at('succeeded', 4)])
  expect(seen).toEqual(['queued 0', 'running 0', 'running 3', 'paused 3', 'succeeded 4'])
})

test('looks grow rare, up to one in five seconds', async () => {
  const running = Array.from({ length: 40 }, () => at('running', 1))
  const { looks } = await follow([...running, at('failed', 1)])
  const gaps = looks.slice(1).map((time, i) => time - (looks[i] ?? 0))
  expect(gaps.slice(0, 4)).toEqual([250, 300, 360, 432])
  expect(gaps.every((gap, i) => i === 0 || gap >= (gaps[i - 1] ?? 0))).toBe(true)
  expect(gaps.at(-1)).toBe(5_000)
  // A quarter of what the service grants a minute.
  expect(looks.filter((time) => time < 60_000).length).toBeLessThan(30)
  expect((await follow([...running.slice(0, 2), at('failed', 1)], { intervalMs: 9_000 })).looks).toEqual([0, 9_000, 18_000])
})

test('a look that fails in passing is tried again, another ends the following', async () => {
  expect((await follow([at('queued', 0), failed(503, 'SERVICE_UNAVAILABLE'), at('succeeded', 1)])).seen).toEqual(['queued 0', 'succeeded 1'])
  expect(await follow([at('queued', 0), failed(404, 'NOT_FOUND')])).toMatchObject({ seen: ['queued 0'], outcome: { code: 'NOT_FOUND' } })
})

test('an abort ends following and waiting between two looks', async () => {
  const { client, clock, tries } = createScripted([at('running', 0)])
  const controller = new AbortController()
  const outcome = client.executions.wait('exec_1', { signal: controller.signal }).catch((error: unknown) => error)
  await clock.advance(600)
  const reason = new Error('enough')
  controller.abort(reason)
  expect(await outcome).toBe(reason)
  await clock.advance(10_000)
  expect(tries).toHaveLength(3)
  expect(clock.sleeping).toBe(0)
})

test('waiting gives the end, whatever it is', async () => {
  const { client, clock } = createScripted([at('queued', 0), at('cancelled', 0)])
  expect((await clock.runUntil(client.executions.wait('exec_1'))).status).toBe('cancelled')
})
