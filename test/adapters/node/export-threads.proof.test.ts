import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPageThreads } from '../../../adapters/node/page-threads.ts'
import { openRowWork } from '../../../src/engine/export/open-row-work.ts'
import { FORMAT_NAMES } from '../../../src/engine/export/formats.ts'
import type { Row } from '../../../src/kernel/json.ts'
import { cpuFactor } from '../../support/cpu-ms.ts'
import { noisySegments } from '../../support/fakes/noisy-rows.ts'
import { longestTurn } from '../../support/longest-turn.ts'
import { createTestPool } from '../../support/worlds/page-pool.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

vi.mock('../../../src/engine/export/open-row-work.ts', { spy: true })

const processor = createPageThreads({ threads: 1 })
afterAll(() => processor.close())
beforeEach(() => void vi.mocked(openRowWork).mockClear())

type Host = Awaited<ReturnType<typeof createServiceHost>>

const answerOf = (host: Host, id: string, format: string): Promise<Response> =>
  host.send('GET', `/api/v1/executions/${id}/results/export?format=${format}`)

const fileOf = async (host: Host, id: string, format: string): Promise<Uint8Array> =>
  (await answerOf(host, id, format)).bytes()

test.for(FORMAT_NAMES)(
  'a thread makes %s of many rows, and the file is the same as without a thread',
  async (format) => {
    const segments = noisySegments(12, 300, 200)
    const [apart, here] = [await createServiceHost({ processor }), await createServiceHost()]
    const file = await fileOf(apart, (await apart.executionWith(segments)).id, format)
    expect(openRowWork).not.toHaveBeenCalled()
    const same = await fileOf(here, (await here.executionWith(segments)).id, format)
    expect(openRowWork).toHaveBeenCalled()
    expect(file).toEqual(same)
  },
)

test('few rows are converted without a thread', async () => {
  const { pool, threads } = await createTestPool()
  for (const thread of threads) await thread.terminate()
  const started = threads.length
  const host = await createServiceHost({ processor: pool })
  const { id } = await host.executionWith([[{ title: 'a', price: 1 }], [{ title: 'b', price: 2 }]])
  expect(new TextDecoder().decode(await fileOf(host, id, 'csv'))).toBe(
    'title,price\r\na,1\r\nb,2\r\n',
  )
  expect(threads).toHaveLength(started)
  expect(openRowWork).toHaveBeenCalledTimes(1)
  // Short rows of many columns count as many.
  const wide = Object.fromEntries(
    Array.from({ length: 150 }, (_, index): [string, string] => [`c${index}`, 'h1']),
  )
  const { id: empty } = await host.executionWith([Array.from({ length: 60 }, (): Row => ({}))], {
    fields: wide,
  })
  await fileOf(host, empty, 'csv')
  expect(openRowWork).toHaveBeenCalledTimes(1)
  await pool.close()
})

describe('rows that need too much memory', () => {
  test('are refused while no byte was sent; after the first byte they break the file off', async () => {
    const { pool } = await createTestPool()
    const host = await createServiceHost({ processor: pool })
    const segments = noisySegments(30, 150, 1_600)
    const { id } = await host.executionWith(segments)
    const spoil = async (segment: number): Promise<void> => {
      const bytes = new TextDecoder().decode(
        (await host.blobs.get(`rows/${id}/${segment}.jsonl`)) ?? undefined,
      )
      await host.blobs.put(
        `rows/${id}/${segment}.jsonl`,
        new TextEncoder().encode(bytes.replace('[0,', '["/memory",')),
      )
    }
    await spoil(25)
    const half = await host.send('GET', `/api/v1/executions/${id}/results/export`)
    expect(half.status).toBe(200)
    await expect(half.text()).rejects.toThrow('The response ended early')
    await spoil(0)
    const refused = await host.call('GET', `/api/v1/executions/${id}/results/export`)
    expect(refused.status).toBe(422)
    expect(refused.body.error).toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
      message:
        'A part of the rows used more memory than a page may, and was stopped. Ask for ' +
        'fewer columns by fields, or for another format',
    })
    // The next file is made as usual.
    const { id: other } = await host.executionWith(segments)
    expect((await fileOf(host, other, 'csv')).length).toBeGreaterThan(7_000_000)
    await pool.close()
  })
})

test('no row is large enough to block the thread that serves', async () => {
  const host = await createServiceHost({ processor })
  const large: Row = { title: '<"=\n'.repeat(1_048_576 / 4), price: '&'.repeat(1_048_576) }
  const { id } = await host.executionWith([
    [{ title: 'a', price: 1 }],
    [large, large, large, large],
    noisySegments(1, 3_000)[0] ?? [],
  ])
  const lengths: Record<string, number> = {}
  for (const format of FORMAT_NAMES) lengths[format] = (await fileOf(host, id, format)).length
  const limit = 50 * cpuFactor()
  const longest: Record<string, number> = {}
  for (const format of FORMAT_NAMES) {
    // The conversion itself would block the thread in each try. A large garbage collection may fall
    // into one of them.
    for (let tries = 0; tries < 5 && !((longest[format] ?? Infinity) < limit); tries++) {
      longest[format] = await longestTurn(async () => {
        // The chunks are not joined: that would be a long turn of the test itself.
        let length = 0
        for await (const chunk of (await answerOf(host, id, format)).body ?? [])
          length += chunk.length
        expect([format, length]).toEqual([format, lengths[format]])
      })
    }
  }
  for (const format of FORMAT_NAMES)
    expect([format, longest[format]]).toEqual([
      format,
      expect.toSatisfy((ms: number) => ms < limit),
    ])
}, 60_000)
