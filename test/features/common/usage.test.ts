import { expect, it } from 'vitest'
import {
  ALL_USAGE,
  durationOfStep,
  durationStep,
  reasonMetric,
  taskUsage,
} from '../../../src/features/common/usage.ts'
import { createRecords } from '../../../src/features/records.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const pages = {
  'https://shop.example.com/': '<h1>Pens</h1>',
  'https://shop.example.com/gone': { status: 404, body: '' },
}
const recipe = {
  start: { urls: ['https://shop.example.com/', 'https://shop.example.com/gone'] },
  crawl: { robots: false },
  extract: { fields: { title: 'h1' } },
}

it('the work of an account is counted in buckets of every size, and that of a task at its end', async () => {
  const world = createWorld(pages)
  const records = createRecords(world.store)
  const id = await world.start(recipe)
  await world.work()
  const execution = await world.read(id)
  expect(execution.status).toBe('succeeded')
  const counted = async (series: string, size: 'quarter' | 'hour' | 'day' | 'month') => {
    const points = await records.usage.read(OWNER.account, series, size, 0, Number.MAX_SAFE_INTEGER)
    return Object.fromEntries(points.map(({ metric, value }) => [metric, value]))
  }
  const all = {
    pages: 2,
    'page:fetched': 1,
    'page:failed': 1,
    'error:http_404': 1,
    rows: 1,
    bytes: execution.counters.bytes,
    credits: execution.cost.credits,
    'run:started': 1,
    'run:succeeded': 1,
  }
  for (const size of ['quarter', 'hour', 'day', 'month'] as const)
    expect(await counted(ALL_USAGE, size)).toMatchObject(all)
  const { 'run:started': _, ...ended } = all
  expect(await counted(taskUsage(execution.taskId ?? ''), 'day')).toMatchObject(ended)
})

it('a duration is read back within 5 %', () => {
  for (let ms = 100; ms < 1e9; ms = ms * 1.01 + 1)
    expect(Math.abs(durationOfStep(durationStep(ms)) / ms - 1)).toBeLessThan(0.0501 + 0.5 / ms)
})

it('the number of names for reasons is small', () => {
  const names = new Set(Array.from({ length: 900 }, (_, i) => reasonMetric(`http_${100 + i}`)))
  expect(names.size).toBeLessThan(60)
  expect(reasonMetric('http_404')).toBe('error:http_404')
  expect(reasonMetric('http_477')).toBe('error:http_4xx')
  expect(reasonMetric('canary')).toBe('error:other')
})
