import { uncheckedRecipe } from '../../support/worlds/unchecked-recipe.ts'
import { describe, expect, it } from 'vitest'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'

const TASKS = '/api/v1/tasks'

describe('a task', () => {
  it('is created, read, changed and deleted', async () => {
    const { call } = await createServiceHost()
    const recipe = { ...recipeOf({ title: '  h1  ' }), crawl: {} }
    const created = await call('POST', TASKS, { body: { recipe, labels: ['a', 'b', 'a'] } })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^task_/),
        name: 'shop.example.com',
        description: '',
        labels: ['a', 'b'],
        status: 'active',
        schedule: null,
        datasetId: null,
        drift: 'report',
        recipe,
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
      },
    })
    const path = `${TASKS}/${created.body.data.id}`
    expect((await call('GET', path)).body).toEqual(created.body)
    const changed = await call('PATCH', path, {
      body: { name: ' Shop ', labels: [], status: 'paused' },
    })
    expect(changed.body.data).toEqual({
      ...created.body.data,
      name: 'Shop',
      labels: [],
      status: 'paused',
    })
    const deleted = await call('DELETE', path)
    expect([deleted.status, deleted.body.data]).toEqual([
      200,
      { id: created.body.data.id, deleted: true },
    ])
    expect((await call('GET', path)).status).toBe(404)
    expect((await call('DELETE', path)).status).toBe(404)
  })

  it('is read as it is now, however often it was read before', async () => {
    const { call, tasks, keyOf } = await createServiceHost()
    const owner = { account: 'acme', user: 'ann', scopes: ['*'] }
    const { id } = await tasks.create(owner, { name: 'Shop', recipe: recipeOf({ title: 'h1' }) })
    const get = (headers: Record<string, string> = {}) => call('GET', `${TASKS}/${id}`, { headers })
    const first = await get()
    const again = await get()
    expect(again.body).toEqual(first.body)
    const tag = first.headers.get('etag') ?? expect.fail()
    expect(again.headers.get('etag')).toBe(tag)
    expect((await get({ 'if-none-match': tag })).status).toBe(304)
    // The caller of the service has objects of its own.
    Object.assign(await tasks.get(owner, id), { name: 'mine' })
    Object.assign((await tasks.get(owner, id)).recipe, { start: null })
    expect((await get()).body).toEqual(first.body)
    await tasks.update(owner, id, { name: 'Market' })
    const changed = await get({ 'if-none-match': tag })
    expect([changed.status, changed.body.data.name]).toEqual([200, 'Market'])
    expect(changed.headers.get('etag')).not.toBe(tag)
    const stranger = await keyOf('other')
    expect((await call('GET', `${TASKS}/${id}`, { key: stranger })).status).toBe(404)
    await tasks.delete(owner, id)
    expect((await get()).status).toBe(404)
  })

  it.each([
    [
      'a field that does not parse',
      { start: { urls: ['https://shop.example.com'] }, extract: { fields: { title: 'h1[' } } },
      'recipe.extract.fields.title',
    ],
    ['no start', {}, 'recipe.start'],
    [
      'a private address',
      { start: { urls: ['https://shop.example.com', 'http://10.0.0.{1..3}/'] } },
      'recipe.start.urls.1',
    ],
    ['a loopback name', { start: { urls: ['http://localhost:8080/'] } }, 'recipe.start.urls.0'],
    ['a private feed', { start: { feed: 'http://169.254.169.254/feed' } }, 'recipe.start.feed'],
    [
      'a private sitemap',
      { start: { sitemap: 'http://169.254.169.254/sitemap.xml' } },
      'recipe.start.sitemap',
    ],
    ['a file', { start: { urls: ['file:///etc/passwd'] } }, 'recipe.start.urls.0'],
    ['a text for a recipe', 'https://shop.example.com', 'recipe'],
  ])('with %s is refused at its place', async (_, recipe, path) => {
    const { call, tasks } = await createServiceHost()
    const answer = await call('POST', TASKS, { body: { recipe } })
    expect(answer.status).toBe(400)
    expect(answer.body.error.issues.map((issue: { path: string }) => issue.path)).toContain(path)
    await expect(
      tasks.create(
        { account: 'acme', user: 'ann', scopes: [] },
        { recipe: uncheckedRecipe(recipe) },
      ),
    ).rejects.toMatchObject({ status: 400 })
    expect((await call('GET', TASKS)).body.data.items).toEqual([])
  })

  it('can make only the allowed moves between states', async () => {
    const { call } = await createServiceHost()
    const { id } = (await call('POST', TASKS, { body: { recipe: recipeOf() } })).body.data
    const statuses = []
    for (const status of ['paused', 'active', 'active', 'archived', 'archived', 'active'])
      statuses.push((await call('PATCH', `${TASKS}/${id}`, { body: { status } })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 409])
    expect((await call('POST', `${TASKS}/${id}/executions`)).status).toBe(409)
    expect((await call('PATCH', `${TASKS}/${id}`, { body: {} })).status).toBe(400)
  })

  it('cannot be deleted while an execution of it is unfinished, and its results stay afterwards', async () => {
    const { call, executionWith } = await createServiceHost()
    const { id, taskId } = await executionWith([[{ title: 'one', price: null }]])
    expect((await call('DELETE', `${TASKS}/${taskId}`)).status).toBe(409)
    await call('POST', `/api/v1/executions/${id}/cancel`)
    expect((await call('DELETE', `${TASKS}/${taskId}`)).status).toBe(200)
    expect((await call('GET', `/api/v1/executions/${id}/results`)).body.data.items).toEqual([
      { title: 'one', price: null },
    ])
    expect((await call('GET', `${TASKS}/${taskId}/executions`)).status).toBe(404)
  })

  it('keeps every one of several changes at the same time', async () => {
    const { call } = await createServiceHost()
    const { id } = (await call('POST', TASKS, { body: { recipe: recipeOf() } })).body.data
    await Promise.all([
      call('PATCH', `${TASKS}/${id}`, { body: { name: 'New' } }),
      call('PATCH', `${TASKS}/${id}`, { body: { description: 'Told' } }),
      call('PATCH', `${TASKS}/${id}`, { body: { labels: ['x'] } }),
    ])
    expect((await call('GET', `${TASKS}/${id}`)).body.data).toMatchObject({
      name: 'New',
      description: 'Told',
      labels: ['x'],
    })
    expect((await call('GET', `${TASKS}?label=x`)).body.data.items).toHaveLength(1)
  })
})

describe('the list of tasks', async () => {
  const { call, keyOf } = await createServiceHost()
  const all: string[] = []
  for (let i = 0; i < 45; i++) {
    const body = {
      name: `Task ${i}`,
      recipe: recipeOf(),
      labels: i % 3 === 0 ? ['third', 'all'] : ['all'],
      status: i % 5 === 0 ? 'paused' : 'active',
    }
    all.unshift((await call('POST', TASKS, { body })).body.data.name)
  }
  const walk = async (query: string, limit: number) => {
    const names: string[] = []
    const sizes: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { items: { name: string }[]; nextCursor: string | null } = (
        await call(
          'GET',
          `${TASKS}?${query}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
      ).body.data
      names.push(...page.items.map((task) => task.name))
      sizes.push(page.items.length)
      cursor = page.nextCursor
    }
    return { names, sizes }
  }
  const third = all.filter((_, i) => (44 - i) % 3 === 0)
  const paused = all.filter((_, i) => (44 - i) % 5 === 0)

  it.each([
    ['q=task', 20, all],
    ['label=all', 9, all],
    ['label=third', 4, third],
    ['status=paused', 3, paused],
    ['status=paused&label=third', 2, paused.filter((name) => third.includes(name))],
    ['q=TASK%204', 3, all.filter((name) => name.startsWith('Task 4'))],
    ['status=archived', 5, []],
  ])('of %s gives each task once, newest first', async (query, limit, names) => {
    const walked = await walk(query, limit)
    expect(walked.names).toEqual(names)
    expect(walked.sizes).toHaveLength(Math.max(1, Math.ceil(names.length / limit)))
  })

  it('has 20 entries a page by default', async () => {
    expect((await call('GET', TASKS)).body.data.items).toHaveLength(20)
  })

  it.each(['0', '101', '1e1', '0x10', '', '-1', '10abc', '1000', ' 5', '1.0', '05', '001'])(
    'refuses limit=%s',
    async (limit) => {
      const answer = await call('GET', `${TASKS}?limit=${encodeURIComponent(limit)}`)
      expect([answer.status, answer.body.error.issues]).toEqual([
        400,
        [{ path: 'limit', message: 'must be a whole number from 1 to 100' }],
      ])
    },
  )

  it('refuses a repeated parameter', async () => {
    expect((await call('GET', `${TASKS}?limit=1&limit=2`)).body.error.issues).toEqual([
      { path: 'limit', message: 'is given more than once' },
    ])
  })

  it('refuses a cursor of another filter, list or account, and a forged one', async () => {
    const cursor: string = (await call('GET', `${TASKS}?limit=1`)).body.data.nextCursor
    const foreign = await keyOf('globex')
    const answers = [
      await call('GET', `${TASKS}?limit=1&status=active&cursor=${cursor}`),
      await call('GET', `/api/v1/executions?cursor=${cursor}`),
      await call('GET', `${TASKS}?cursor=${cursor}`, { key: foreign }),
      await call(
        'GET',
        `${TASKS}?cursor=${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`,
      ),
      await call('GET', `${TASKS}?cursor=null`),
    ]
    for (const answer of answers)
      expect([answer.status, answer.body.error.issues]).toEqual([
        400,
        [{ path: 'cursor', message: 'is not a cursor of this list' }],
      ])
    expect((await call('GET', `${TASKS}?limit=50&cursor=${cursor}`)).body.data.items).toHaveLength(
      44,
    )
  })
})
