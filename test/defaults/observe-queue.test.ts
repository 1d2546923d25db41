import { expect, it } from 'vitest'
import { createPrometheus } from '../../adapters/prometheus/index.ts'
import { createMemoryBlobs } from '../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

// Proves that metrics leave out figures that cannot be read, and that the log has one line with the
// reason, and one at the end.

it('the gauges of the queue are left out while the store is away, and the log says so', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const telemetry = createPrometheus()
  const lines: string[] = []
  const write = (message: string) => void lines.push(message)
  let isAway = false
  const platform = createPlatform({
    store: {
      ...store,
      list: async (slice) => {
        if (isAway) throw new Error('The store is away')
        return store.list(slice)
      },
      get: (keys) => store.get(keys),
      commit: (commit) => store.commit(commit),
      close: () => store.close(),
    },
    blobs: createMemoryBlobs(),
    clock,
    telemetry,
    logger: { debug: write, info: write, warn: write, error: write },
  })
  const gauges = async () => (await telemetry.text()).match(/^seine_queue_depth\{.*$/gm) ?? []
  await expect.poll(gauges).toHaveLength(3)
  isAway = true
  for (let nth = 0; nth < 3; nth++) expect(await gauges()).toEqual([])
  isAway = false
  expect(await gauges()).toHaveLength(3)
  expect(lines).toEqual([
    'The queue could not be read for metrics; trying again',
    'The queue can be read for metrics again',
  ])
  await platform.close()
})
