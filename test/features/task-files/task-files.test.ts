import { describe, expect, it } from 'vitest'
import { OPEN_PLAN, OPEN_TARIFF } from '../../../src/features/ledger/plans.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Entry, Store } from '../../../src/ports/store.ts'
import { verifyRecords } from '../../../src/records/verify.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { countTurns } from '../../support/fakes/count-turns.ts'
import { failingCases } from '../../support/failing-cases.ts'

const URL = 'https://shop.example.com/'
const recipe = {
  params: { city: { default: 'Ghent' } },
  start: { urls: [`${URL}{{city}}`] },
  page: { headers: { 'Accept-Language': 'nl', Authorization: 'Bearer secret' } },
  extract: { fields: { title: 'h1' } },
}
const schedule = { cron: '0 9 * * *', params: { city: 'Bruges' } }

async function open(caps?: { tasks: number; keys: null }, store?: Store) {
  const plan = {
    ...OPEN_PLAN,
    id: 'small',
    name: 'Small',
    creditsPerMonth: 1_000,
    ...(caps && { caps }),
  }
  const host = await createServiceHost({
    tariff: { ...OPEN_TARIFF, plans: [plan] },
    ...(store && { store }),
  })
  const ask = async (method: string, path: string, body?: unknown, key = host.key) => {
    const sent = body === undefined ? { key } : { key, body }
    const answer = await host.call(method, `/api/v1${path}`, sent)
    return { status: answer.status, headers: answer.headers, body: answer.body }
  }
  const create = async (body: object) =>
    (await ask('POST', '/tasks', { recipe: { start: { urls: [URL] } }, ...body })).body.data
  const file = async (key = host.key) => (await ask('GET', '/tasks/export', undefined, key)).body
  const load = async (tasks: unknown, query = '', key = host.key) =>
    ask('POST', `/tasks/import${query}`, { version: 1, tasks }, key)
  const list = async (key = host.key) =>
    (await ask('GET', '/tasks?limit=100&sort=createdAt', undefined, key)).body.data.items
  return { ...host, ask, create, file, load, list }
}

/** A store, and the ids of the tasks that were read from it. */
function noteReads() {
  const base = createMemoryStore()
  const reads: string[] = []
  const note = (entries: readonly (Entry | null)[]): void => {
    for (const entry of entries) if (entry?.key[1] === 'tasks') reads.push(String(entry.key[2]))
  }
  const store: Store = {
    ...through(base, (change) => base.commit(change)),
    async get(keys) {
      const entries = await base.get(keys)
      note(entries)
      return entries
    },
    async list(range) {
      const entries = await base.list(range)
      note(entries)
      return entries
    },
  }
  return { store, reads }
}

const plain = (name: string) => ({ name, recipe: { start: { urls: [URL] } } })

describe('a file of tasks', () => {
  it('has all tasks, the oldest first, with recipe, schedule and references, and no secrets', async () => {
    const { create, ask, file } = await open()
    const dataset = (await ask('POST', '/datasets', { name: 'd', keyFields: ['title'] })).body.data
    const task = await create({ name: 'A', recipe, schedule, labels: ['x'], datasetId: dataset.id })
    const hook = (
      await ask('POST', '/webhooks', {
        url: 'https://hooks.example.com/?token=t0psecret',
        events: ['*'],
        taskIds: [task.id],
      })
    ).body.data
    for (let index = 0; index < 9; index++)
      await create({ name: `task ${index}`, status: 'paused' })
    const answer = await ask('GET', '/tasks/export')
    expect(answer.headers.get('content-disposition')).toContain('filename="tasks.json"')
    expect(answer.body).toMatchObject({ version: 1, exportedAt: '2026-01-01T00:00:00.000Z' })
    expect(answer.body.tasks).toHaveLength(10)
    expect(answer.body.tasks[0]).toEqual({
      id: task.id,
      name: 'A',
      description: '',
      labels: ['x'],
      status: 'active',
      schedule: task.schedule,
      datasetId: dataset.id,
      webhookIds: [hook.id],
      recipe: {
        ...recipe,
        page: { headers: { 'Accept-Language': 'nl', Authorization: null } },
      },
    })
    expect(JSON.stringify(await file())).not.toMatch(/secret/)
  })

  it('is valid without tasks', async () => {
    expect((await (await open()).file()).tasks).toEqual([])
  })

  it.each(['', '?by=id'])('changes nothing in its own account: %s', async (query) => {
    const { create, file, load, list } = await open()
    await create({ name: 'A', recipe, schedule })
    await create({ name: 'B', status: 'archived' })
    const before = await list()
    const { body } = await load((await file()).tasks, query)
    expect(body.data.counts).toEqual({ created: 0, updated: 0, unchanged: 2, refused: 0 })
    expect(await list()).toEqual(before)
  })

  it('makes the same tasks in another account, once', async () => {
    const { create, file, load, list, keyOf, records } = await open()
    await create({ name: 'A', schedule, recipe: { ...recipe, page: {} } })
    await create({ name: 'B', labels: ['x'], description: 'b' })
    const other = await keyOf('other')
    const { tasks } = await file()
    expect((await load(tasks, '?dryRun=true', other)).body.data).toMatchObject({
      dryRun: true,
      counts: { created: 2 },
      items: [
        { name: 'A', taskId: null, outcome: 'created', code: null, issues: [] },
        { name: 'B' },
      ],
    })
    expect(await list(other)).toEqual([])
    const first = (await load(tasks, '', other)).body.data
    expect(first.counts).toEqual({ created: 2, updated: 0, unchanged: 0, refused: 0 })
    const again = (await load(tasks, '', other)).body.data
    expect(again.counts).toEqual({ created: 0, updated: 0, unchanged: 2, refused: 0 })
    expect(again.items.map(({ taskId }: { taskId: string }) => taskId)).toEqual(
      first.items.map(({ taskId }: { taskId: string }) => taskId),
    )
    const exported = (await file(other)).tasks
    expect(exported).toEqual(
      tasks.map((task: object, index: number) => ({ ...task, id: first.items[index].taskId })),
    )
    expect(await records.schedules.get('other', exported[0].id)).not.toBeNull()
  })

  it('changes tasks that differ, and keeps tasks that it does not name', async () => {
    const { create, load, ask } = await open()
    const task = await create({ name: 'A', labels: ['x'], schedule: { cron: '@daily' } })
    const changed = { name: 'A', description: 'new', recipe: { start: { urls: [`${URL}2`] } } }
    const dry = (await load([changed], '?dryRun=true')).body.data
    expect(dry.items).toMatchObject([{ taskId: task.id, outcome: 'updated' }])
    expect((await ask('GET', `/tasks/${task.id}`)).body.data).toEqual(task)
    expect((await load([changed])).body.data.items).toMatchObject([{ outcome: 'updated' }])
    expect((await ask('GET', `/tasks/${task.id}`)).body.data).toMatchObject({
      ...changed,
      labels: ['x'],
      schedule: task.schedule,
    })
    const renamed = { ...changed, id: task.id, name: 'B', schedule: null }
    expect((await load([renamed], '?by=id')).body.data.counts.updated).toBe(1)
    expect((await ask('GET', `/tasks/${task.id}`)).body.data).toMatchObject({
      name: 'B',
      schedule: null,
    })
  })

  it('keeps secret headers, and asks for those of new tasks', async () => {
    const { create, file, load, ask, keyOf } = await open()
    const task = await create({ name: 'A', recipe })
    const [entry] = (await file()).tasks
    const changed = { ...entry, description: 'new' }
    expect((await load([changed])).body.data.counts.updated).toBe(1)
    expect((await ask('GET', `/tasks/${task.id}`)).body.data).toMatchObject({
      description: 'new',
      recipe,
    })
    expect((await load([entry], '', await keyOf('other'))).body.data.items).toMatchObject([
      {
        outcome: 'refused',
        code: 'BAD_REQUEST',
        issues: [
          {
            path: 'tasks.0.recipe.page.headers.Authorization',
            message: expect.stringContaining('write its value'),
          },
        ],
      },
    ])
  })

  it('adds tasks to the webhooks that it names, if the caller may change these', async () => {
    const { ask, load, create, keyOf } = await open()
    const one = await create({ name: 'one' })
    const { id } = (
      await ask('POST', '/webhooks', {
        url: 'https://hooks.example.com/',
        events: ['*'],
        taskIds: [one.id],
      })
    ).body.data
    const tasks = [
      { ...plain('one'), webhookIds: [id] },
      { ...plain('two'), webhookIds: [id, id] },
      { ...plain('three'), webhookIds: ['wh_none'] },
    ]
    const few = await keyOf('acme', ['tasks:write'])
    expect((await load(tasks, '', few)).body.data.items).toMatchObject([
      { outcome: 'unchanged' },
      { outcome: 'refused', code: 'FORBIDDEN', issues: [{ path: 'tasks.1' }] },
      { outcome: 'refused', issues: [{ path: 'tasks.2.webhookIds.0' }] },
    ])
    const { items } = (await load(tasks)).body.data
    expect(items).toMatchObject([
      { outcome: 'unchanged' },
      { outcome: 'created' },
      { outcome: 'refused' },
    ])
    expect((await ask('GET', `/webhooks/${id}`)).body.data.taskIds).toEqual([
      one.id,
      items[1].taskId,
    ])
    expect((await load(tasks)).body.data.counts.unchanged).toBe(2)
  })
})

describe('an import', () => {
  it('refuses each wrong task by itself, with its path, also in a dry run', async () => {
    const { create, load, list } = await open()
    await create({ name: 'twice' })
    await create({ name: 'twice' })
    await create({ name: 'archived', status: 'archived' })
    const wrong: readonly [object, string, RegExp][] = [
      [{ ...plain('a'), colour: 1 }, 'tasks.0.colour', /unknown field/],
      [{ name: 'b' }, 'tasks.0.recipe', /is required/],
      [{ ...plain('c'), recipe: { start: { urls: ['x'] } } }, 'tasks.0.recipe.start.urls.0', /URL/],
      [{ ...plain('d'), schedule: { cron: 'x' } }, 'tasks.0.schedule.cron', /./],
      [
        { ...plain('e'), schedule: { cron: '@daily', params: { town: 'x' } } },
        'tasks.0.schedule.params.town',
        /declares no|unknown field/,
      ],
      [{ ...plain('f'), datasetId: 'ds_none' }, 'tasks.0.datasetId', /not found/],
      [plain('twice'), 'tasks.0.name', /is that of 2 tasks: use an import by id$/],
      [{ ...plain('archived'), status: 'active' }, 'tasks.0', /archived for good/],
    ]
    const before = await list()
    const failing = await failingCases(
      wrong,
      ([task]) => JSON.stringify(task),
      async ([task, path, message]) => {
        for (const query of ['?dryRun=true', '']) {
          const { status, body } = await load([task], query)
          expect(status).toBe(200)
          expect(body.data.items).toMatchObject([
            {
              outcome: 'refused',
              taskId: null,
              issues: [{ path, message: expect.stringMatching(message) }],
            },
          ])
        }
      },
    )
    expect(failing).toEqual([])
    expect(await list()).toEqual(before)
    const { body } = await load([plain('bad'), { name: 'x' }, plain('bad'), plain('good')])
    expect(body.data.items).toMatchObject([
      { outcome: 'created' },
      { outcome: 'refused' },
      { outcome: 'refused', issues: [{ path: 'tasks.2.name' }] },
      { outcome: 'created' },
    ])
    expect(
      (await load([{ ...plain('x'), id: 'task_none' }, plain('y')], '?by=id')).body.data.items,
    ).toMatchObject([
      { outcome: 'refused', issues: [{ path: 'tasks.0.id' }] },
      {
        outcome: 'refused',
        issues: [{ path: 'tasks.1.id', message: 'is required for an import by id' }],
      },
    ])
  })

  it('names a hundred issues of all tasks, and at least one of each', async () => {
    const { load } = await open()
    const names = Array.from({ length: 30 }, (_, index) => [`c${index}`, 'a['])
    const wrong = { start: { urls: [URL] }, extract: { fields: Object.fromEntries(names) } }
    const tasks = Array.from({ length: 8 }, (_, index) => ({ name: `t${index}`, recipe: wrong }))
    for (const query of ['?dryRun=true', '']) {
      const { items } = (await load([plain('good'), ...tasks], query)).body.data
      expect(items.map(({ issues }: { issues: readonly object[] }) => issues.length)).toEqual([
        0, 30, 30, 30, 10, 1, 1, 1, 1,
      ])
    }
  })

  it('of five hundred tasks takes several turns of the event loop', async () => {
    const { load } = await open()
    const tasks = Array.from({ length: 500 }, (_, index) => plain(`t${index}`))
    for (const query of ['?dryRun=true', '']) {
      const turns = await countTurns(async () => {
        expect((await load(tasks, query)).status).toBe(200)
      })
      // A slice has at most 256 steps, and four turns after it: finding each task is a step, and
      // writing it is another.
      expect(turns).toBeGreaterThanOrEqual(12)
    }
  })

  it('by name reads the tasks that it names, and no others', async () => {
    const { store, reads } = noteReads()
    const { create, load, list } = await open(undefined, store)
    const names = ['plain', 'a "quoted" name', 'é \u{1f600}', 'other', 'last']
    for (const name of names) await create({ name })
    const ids = (await list()).map(({ id }: { id: string }) => id)
    reads.length = 0
    const { items } = (await load(names.slice(0, 3).map(plain))).body.data
    expect(items.map(({ taskId }: { taskId: string }) => taskId)).toEqual(ids.slice(0, 3))
    expect([...new Set(reads)].toSorted()).toEqual(ids.slice(0, 3))
  })

  it('by name reads tasks of earlier versions once', async () => {
    const { store, reads } = noteReads()
    const { create, load, list, records } = await open(undefined, store)
    for (const name of ['old', 'other', 'young']) await create({ name })
    const ids = (await list()).map(({ id }: { id: string }) => id)
    const entries = await store.list({ prefix: ['acme', 'tasks/name'], limit: 10 })
    await store.commit({ delete: entries.slice(0, 2).map(({ key }) => key) })
    const faults = async () => (await verifyRecords(store, [records.tasks])).faults
    expect(await faults()).toEqual([])
    const nextReads: string[][] = []
    for (const query of ['?dryRun=true', '', '']) {
      reads.length = 0
      const { items } = (await load([plain('old')], query)).body.data
      expect(items).toMatchObject([{ taskId: ids[0], outcome: 'unchanged' }])
      nextReads.push([...new Set(reads)].toSorted())
    }
    expect(nextReads).toEqual([ids.slice(0, 2), ids.slice(0, 2), ids.slice(0, 1)])
    expect(await faults()).toEqual([])
  })

  it('does not take a task for one whose name it had before', async () => {
    const { store } = noteReads()
    const { create, load, list } = await open(undefined, store)
    const { id } = await create({ name: 'old' })
    const [entry] = await store.get([['acme', 'tasks', id]])
    const renamed = JSON.parse(JSON.stringify(entry?.value))
    // As if it were renamed between the reading of its name and of itself.
    await store.commit({
      set: [{ key: ['acme', 'tasks', id], value: { ...renamed, name: 'new' } }],
    })
    const { items } = (await load([{ ...plain('old'), description: 'mine' }])).body.data
    expect(items).toMatchObject([{ outcome: 'created' }])
    expect(items[0].taskId).not.toBe(id)
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['new', 'old'])
  })

  it('refuses a body that is not a file of tasks', async () => {
    const { ask, load } = await open()
    for (const [body, path] of [
      [{ tasks: [plain('a')] }, 'version'],
      [{ version: 2, tasks: [plain('a')] }, 'version'],
      [{ version: 1, tasks: [] }, 'tasks'],
      [{ version: 1, tasks: [1] }, 'tasks.0'],
    ] as const) {
      const answer = await ask('POST', '/tasks/import', body)
      expect([answer.status, answer.body.error.issues[0].path]).toEqual([400, path])
    }
    const large = { start: { urls: [`${URL}{1..9000}`] } }
    const many = Array.from({ length: 20 }, (_, index) => ({ name: `t${index}`, recipe: large }))
    const { status, body } = await load(many)
    expect([status, body.error.issues]).toEqual([
      400,
      [
        {
          path: expect.stringMatching(/^tasks\.\d+\.recipe$/),
          message: expect.stringContaining('divide the file'),
        },
      ],
    ])
  })

  it('is 409 above the cap of tasks, and writes nothing, also in a dry run', async () => {
    const { create, load, list } = await open({ tasks: 3, keys: null })
    await create({ name: 'a' })
    const tasks = ['a', 'b', 'c', 'd'].map(plain)
    for (const query of ['?dryRun=true', '']) {
      const { status, body } = await load(tasks, query)
      expect([status, body.error.code]).toEqual([409, 'CONFLICT'])
      expect(body.error.message).toMatch(/has 1 tasks and may have 3/)
    }
    expect(await list()).toHaveLength(1)
    expect((await load(tasks.slice(0, 3))).body.data.counts).toMatchObject({ created: 2 })
  })

  it('needs executions:write for tasks with schedules, and only tasks:write for others', async () => {
    const { load, keyOf } = await open()
    const tasks = [plain('a'), { ...plain('b'), schedule: { cron: '@daily' } }]
    expect(
      (await load(tasks, '', await keyOf('acme', ['tasks:write']))).body.data.items,
    ).toMatchObject([{ outcome: 'created' }, { outcome: 'refused', code: 'FORBIDDEN' }])
  })

  it('answers a repetition by idempotency key with the first answer', async () => {
    const { call, list } = await open()
    const once = () =>
      call('POST', '/api/v1/tasks/import', {
        body: { version: 1, tasks: [plain('a'), plain('b'), { name: 'c' }] },
        headers: { 'idempotency-key': 'k' },
      })
    const first = await once()
    expect(first.body.data.counts).toMatchObject({ created: 2, refused: 1 })
    const second = await once()
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await list()).toHaveLength(2)
  })
})
