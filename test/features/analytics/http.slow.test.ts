import { expect, it } from 'vitest'
import type { Answer } from '../../support/fakes/fake-web.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const recipe = {
  start: { urls: ['https://shop.example.com/', 'https://shop.example.com/gone'] },
  crawl: { robots: false, delayMs: 2_000, concurrency: 1 },
  extract: { fields: { title: 'h1', price: '.price' } },
}
const DAY = 86_400_000

async function ask(
  { platform }: World,
  path: string,
  account = OWNER.account,
): Promise<ReturnType<typeof JSON.parse>> {
  const { secret } = await platform.api.keys.create(
    { ...OWNER, account },
    { name: 'analyst', scopes: ['analytics:read'] },
  )
  const response = await platform.fetch(
    new Request(`http://host.test/api/v1/analytics/${path}`, { headers: { 'x-api-key': secret } }),
  )
  const { data, error } = await response.json()
  return data ?? error
}

/** A task that ran on four days, on the last of them without prices, and a task that never ran. */
async function fourDays() {
  const pages: Record<string, Answer> = {
    'https://shop.example.com/': '<h1>Pens</h1><p class="price">2</p>',
    'https://shop.example.com/gone': { status: 404, body: '' },
  }
  const world = createWorld(pages)
  const task = await world.platform.api.tasks.create(OWNER, { name: 'Shop', recipe })
  const idle = await world.platform.api.tasks.create(OWNER, { name: 'Idle', recipe })
  const ids: string[] = []
  for (let day = 0; day < 4; day++) {
    if (day === 3) pages['https://shop.example.com/'] = '<h1>Pens</h1>'
    ids.push((await world.platform.api.executions.start(OWNER, task.id)).id)
    await world.work()
    await world.clock.advance(DAY)
  }
  return { world, task, idle, ids }
}

it('the summary has the outcomes of executions', async () => {
  const { world, ids } = await fourDays()
  const period = 'from=2026-01-01&to=2026-01-04'
  const data = await ask(world, `executions?${period}&timeZone=UTC`)
  const ran = await Promise.all(
    ids.slice(0, 3).map(async (id) => {
      const { startedAt, finishedAt } = await world.read(id)
      return Date.parse(String(finishedAt)) - Date.parse(String(startedAt))
    }),
  )
  expect(data).toMatchObject({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-04T00:00:00.000Z',
    started: 3,
    ended: 3,
    byStatus: { succeeded: 3, failed: 0, cancelled: 0, timed_out: 0 },
    successRate: 1,
    pages: 6,
    rows: 3,
    errors: { http_404: 3 },
  })
  const [first, middle, last] = ran.toSorted((a, b) => a - b)
  expect(first).toBeGreaterThan(1_000)
  for (const [shown, exact = NaN] of [
    [data.durationMs.p50, middle],
    [data.durationMs.p95, last],
  ])
    expect(Math.abs(shown / exact - 1)).toBeLessThan(0.051)
  const summary = await ask(world, `usage/summary?${period}`)
  expect([summary.pages, summary.rows, summary.bytes, summary.credits, summary.executions]).toEqual(
    [data.pages, data.rows, data.bytes, data.credits, data.started],
  )
  expect(summary.successRate).toBe(0.5)
  expect(await ask(world, 'executions', 'other')).toMatchObject({
    started: 0,
    ended: 0,
    successRate: null,
    durationMs: null,
    errors: {},
  })
})

it('the series of any time zone adds up to the summary', async () => {
  const { world } = await fourDays()
  for (const granularity of ['hour', 'day', 'month']) {
    const query = 'from=2025-12-30&to=2026-01-06&timeZone=Australia/Lord_Howe'
    const [{ points, from, to }, summary] = [
      await ask(world, `usage/series?${query}&granularity=${granularity}`),
      await ask(world, `usage/summary?${query}`),
    ]
    expect([from, to]).toEqual(['2025-12-29T13:00:00.000Z', '2026-01-05T13:00:00.000Z'])
    expect(points).toHaveLength({ hour: 168, day: 7, month: 2 }[granularity] ?? 0)
    expect(points[0].start).toBe(from)
    for (const what of [
      'pages',
      'fetched',
      'failed',
      'blocked',
      'rows',
      'bytes',
      'credits',
      'executions',
    ]) {
      expect([
        what,
        points.reduce(
          (sum: number, point: Record<string, number>) => sum + (point[what] ?? NaN),
          0,
        ),
      ]).toEqual([what, summary[what]])
    }
    expect(summary.executions).toBe(4)
  }
})

it('tasks are listed newest first, page by page', async () => {
  const { world, task, idle } = await fourDays()
  const first = await ask(world, 'tasks?limit=1')
  expect(first.items).toEqual([
    {
      taskId: idle.id,
      name: 'Idle',
      pages: 0,
      fetched: 0,
      failed: 0,
      blocked: 0,
      rows: 0,
      bytes: 0,
      credits: 0,
      executions: 0,
      byStatus: { succeeded: 0, failed: 0, cancelled: 0, timed_out: 0 },
      successRate: null,
    },
  ])
  const { items, nextCursor } = await ask(world, `tasks?limit=1&cursor=${first.nextCursor}`)
  expect(nextCursor).toBeNull()
  expect(items).toMatchObject([
    { taskId: task.id, pages: 8, fetched: 4, failed: 4, rows: 4, executions: 4, successRate: 1 },
  ])
  expect((await ask(world, 'tasks', 'other')).items).toEqual([])
})

it('a task has its executions by end, its filled columns, and the columns that lost their values', async () => {
  const { world, task, ids } = await fourDays()
  const data = await ask(world, `tasks/${task.id}?from=2026-01-02&to=2026-01-05`)
  expect(data).toMatchObject({
    taskId: task.id,
    name: 'Shop',
    from: '2026-01-02T00:00:00.000Z',
    to: '2026-01-05T00:00:00.000Z',
    pages: 6,
    executions: 3,
    errors: { http_404: 3 },
    durationMs: { p50: expect.any(Number) },
  })
  expect(
    data.points.map(({ label, executions }: { label: string; executions: number }) => [
      label,
      executions,
    ]),
  ).toEqual([
    ['2026-01-02', 1],
    ['2026-01-03', 1],
    ['2026-01-04', 1],
  ])
  // The execution that drifted does not count for the usual figures.
  expect(
    data.fillRates.map(({ executionId, rows, filled }: Record<string, unknown>) => [
      executionId,
      rows,
      filled,
    ]),
  ).toEqual(ids.slice(1, 3).map((id) => [id, 1, { title: 1, price: 1 }]))
  expect(data.drift).toMatchObject({
    executionId: ids[3],
    fields: [{ field: 'price', usual: 1, now: 0 }],
  })
  expect(
    (await ask(world, `tasks/${task.id}?granularity=month&from=2026-01-01&to=2026-02-01`)).points,
  ).toMatchObject([{ label: '2026-01', executions: 4 }])
  expect(await ask(world, `tasks/${task.id}`, 'other')).toMatchObject({ code: 'NOT_FOUND' })
})

it("a task's executions are counted by days and hours of any time zone", async () => {
  const { world, task, ids } = await fourDays()
  const ends = await Promise.all(ids.map(async (id) => String((await world.read(id)).finishedAt)))
  const counted = async (
    query: string,
    of: (point: { label: string; start: string }) => string,
  ): Promise<Record<string, number>> => {
    const { points } = await ask(world, `tasks/${task.id}?${query}`)
    return Object.fromEntries(
      points
        .filter(({ executions }: { executions: number }) => executions > 0)
        .map((point: { label: string; start: string; executions: number }) => [
          of(point),
          point.executions,
        ]),
    )
  }
  for (const timeZone of ['America/New_York', 'Asia/Kathmandu', 'Pacific/Chatham']) {
    const days = new Intl.DateTimeFormat('sv-SE', { timeZone })
    const expected = Object.fromEntries(ends.map((end) => [days.format(new Date(end)), 1]))
    expect(
      await counted(`timeZone=${timeZone}&from=2025-12-30&to=2026-01-10`, ({ label }) => label),
    ).toEqual(expected)
    const { items } = await ask(
      world,
      `tasks?timeZone=${timeZone}&from=${days.format(new Date(ends[1] ?? ''))}&to=` +
        `${days.format(new Date(ends[3] ?? ''))}`,
    )
    expect(items.find(({ taskId }: { taskId: string }) => taskId === task.id)).toMatchObject({
      executions: 2,
    })
  }
  expect(
    await counted('granularity=hour&from=2025-12-31&to=2026-01-06', ({ start }) => start),
  ).toEqual(Object.fromEntries(ends.map((end) => [`${end.slice(0, 13)}:00:00.000Z`, 1])))
})

it.each([
  ['usage/summary?timeZone=Mars/Base', 'timeZone'],
  ['usage/summary?from=2026-02-31', 'from'],
  ['usage/series?from=2026-01-02&to=2026-01-02', 'from'],
  ['usage/series?granularity=week', 'granularity'],
  ['usage/series?granularity=hour&from=2026-01-01&to=2026-03-01', 'granularity'],
  ['executions?to=soon', 'to'],
  ['tasks?timeZone=Mars/Base', 'timeZone'],
  ['tasks?limit=0', 'limit'],
  ['tasks?cursor=x', 'cursor'],
  ['tasks/task_x?granularity=week', 'granularity'],
])('%s is refused with the name of the parameter', async (path, named) => {
  expect(await ask(createWorld({}), path)).toMatchObject({
    code: 'BAD_REQUEST',
    issues: [{ path: named }],
  })
})
