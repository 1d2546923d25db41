import { describe, expect, it } from 'vitest'
import { moveExecution } from '../../../src/features/executions/lifecycle.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import type { ExecutionStatus } from '../../../src/features/executions/records.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'
import { normalUrl } from '../../support/normal-url.ts'

async function open() {
  const host = await createServiceHost()
  const task = (
    await host.call('POST', '/api/v1/tasks', {
      body: { recipe: { ...recipeOf(), budget: { pages: 5, seconds: 60 } } },
    })
  ).body.data
  const start = async (body?: unknown) =>
    (
      await host.call(
        'POST',
        `/api/v1/tasks/${task.id}/executions`,
        body === undefined ? {} : { body },
      )
    ).body.data
  /** Makes a move like a worker. */
  const bring = async (id: string, ...states: readonly ExecutionStatus[]) => {
    for (const to of states) {
      const stored = await host.records.executions.get('acme', id)
      if (!stored) throw new Error('no execution')
      const change = new Change()
      moveExecution(host.records, change, 'acme', stored, to, { now: host.clock.now() })
      await host.records.commit(change)
    }
  }
  const ask = (id: string, move: string) => host.call('POST', `/api/v1/executions/${id}/${move}`)
  const jobs = async () =>
    (await host.records.outbox.list(SYSTEM, { limit: 100 })).map(({ value }) => value.id)
  return { ...host, task, start, bring, ask, jobs }
}

describe('an execution', () => {
  it('starts queued, with its job in the same commit', async () => {
    const { start, task, call, jobs, calls, records } = await open()
    const execution = await start()
    expect(execution).toEqual({
      id: expect.stringMatching(/^exec_/),
      taskId: task.id,
      templateId: null,
      params: null,
      status: 'queued',
      reason: null,
      retryOf: null,
      extractOf: null,
      failedOf: null,
      kept: null,
      model: null,
      datasetId: null,
      scheduledFor: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      startedAt: null,
      finishedAt: null,
      updatedAt: '2026-01-01T00:00:00.000Z',
      counters: {
        discovered: 0,
        pending: 0,
        visited: 0,
        fetched: 0,
        unchanged: 0,
        duplicate: 0,
        skipped_robots: 0,
        skipped_scope: 0,
        skipped_depth: 0,
        skipped_limit: 0,
        blocked: 0,
        failed: 0,
        rows: 0,
        bytes: 0,
      },
      filled: {},
      drift: [],
      relocation: null,
      rowsDeletedAt: null,
      mediaDeletion: null,
      errors: {},
      cost: { credits: 0, reserved: 1 },
    })
    expect(await jobs()).toEqual([`run:${execution.id}:${Date.UTC(2026, 0, 1)}`])
    expect(calls.woken).toBe(1)
    expect((await call('GET', `/api/v1/executions/${execution.id}`)).body.data).toEqual(execution)
    expect((await records.progress.get('acme', execution.id))?.value.seeded).toBe(false)
  })

  it('shows its counters', async () => {
    const { start, call, records } = await open()
    const { id } = await start()
    const progress = await records.progress.get('acme', id)
    const change = new Change()
    if (progress)
      records.progress.put(change, 'acme', {
        ...progress.value,
        discovered: 9,
        visited: 4,
        outcomes: { fetched: 3, failed: 1, skipped_scope: 2 },
        rows: 7,
        bytes: 100,
        credits: 3,
        filled: { title: 7 },
        errors: { timeout: 1 },
      })
    await records.commit(change)
    const { counters, filled, errors, cost } = (await call('GET', `/api/v1/executions/${id}`)).body
      .data
    expect(counters).toMatchObject({
      discovered: 9,
      pending: 3,
      visited: 4,
      fetched: 3,
      failed: 1,
      skipped_scope: 2,
      blocked: 0,
      rows: 7,
      bytes: 100,
    })
    expect({ filled, errors, cost }).toEqual({
      filled: { title: 7 },
      errors: { timeout: 1 },
      cost: { credits: 3, reserved: 1 },
    })
  })

  it('runs a recipe without a task, within the given budget', async () => {
    const { call, records, jobs } = await open()
    const answer = await call('POST', '/api/v1/executions', {
      body: { recipe: { ...recipeOf(), budget: { pages: 5, seconds: 60 } }, budget: { pages: 2 } },
    })
    const { id } = answer.body.data
    expect([answer.status, answer.body.data.taskId]).toEqual([201, null])
    expect((await records.executions.get('acme', id))?.value.recipe).toMatchObject({
      budget: { pages: 2, seconds: 60 },
    })
    expect((await jobs()).some((job) => job.startsWith(`run:${id}:`))).toBe(true)
    expect((await call('GET', '/api/v1/tasks')).body.data.items).toHaveLength(1)
    for (const [body, path] of [
      [{}, 'recipe'],
      [{ recipe: {} }, 'recipe.start'],
      [{ recipe: recipeOf(), templateId: 'article' }, 'templateId'],
    ] as const) {
      const refused = await call('POST', '/api/v1/executions', { body })
      expect([refused.status, refused.body.error.issues[0].path]).toEqual([400, path])
    }
  })

  it('may have other URLs and another budget than its task', async () => {
    const { start, records, call, task } = await open()
    const { id } = await start({ urls: ['https://other.example.com/'], budget: { pages: 2 } })
    expect((await records.executions.get('acme', id))?.value.recipe).toEqual({
      ...recipeOf(),
      start: { urls: ['https://other.example.com/'] },
      budget: { pages: 2, seconds: 60 },
    })
    const refused = await call('POST', `/api/v1/tasks/${task.id}/executions`, {
      body: { urls: ['https://other.example.com/', 'http://127.0.0.1/'] },
    })
    expect([refused.status, refused.body.error.issues[0].path]).toEqual([400, 'urls.1'])
    expect(
      (
        await call('POST', `/api/v1/tasks/${task.id}/executions`, {
          body: { budget: { pages: 0 } },
        })
      ).body.error.issues[0].path,
    ).toBe('budget.pages')
    expect(
      (await call('POST', `/api/v1/tasks/${task.id}/executions`, { body: { surprise: 0 } })).body
        .error.issues,
    ).toEqual([{ path: 'surprise', message: expect.stringMatching(/^unknown field; known: /) }])
  })

  it('of a paused task starts; that of an archived task does not', async () => {
    const { call, task } = await open()
    await call('PATCH', `/api/v1/tasks/${task.id}`, { body: { status: 'paused' } })
    expect((await call('POST', `/api/v1/tasks/${task.id}/executions`)).status).toBe(201)
    await call('PATCH', `/api/v1/tasks/${task.id}`, { body: { status: 'archived' } })
    expect((await call('POST', `/api/v1/tasks/${task.id}/executions`)).body.error).toEqual({
      code: 'CONFLICT',
      message: 'The task is archived for good; make a new task of its recipe',
    })
  })
})

describe('moves between states', () => {
  // For each state: the state after each move of the caller, or null for 409.
  const table: readonly [
    state: string,
    way: readonly ExecutionStatus[],
    cancel: string | null,
    pause: string | null,
    resume: string | null,
  ][] = [
    ['queued', [], 'cancelled', 'paused', 'queued'],
    ['running', ['running'], 'cancelled', 'paused', 'running'],
    ['paused', ['paused'], 'cancelled', 'paused', 'queued'],
    ['succeeded', ['running', 'succeeded'], null, null, null],
    ['failed', ['running', 'failed'], null, null, null],
    ['timed_out', ['running', 'timed_out'], null, null, null],
    ['cancelled', ['cancelled'], 'cancelled', null, null],
  ]
  it.each(table)('are allowed or refused for a %s execution', async (state, way, ...expected) => {
    for (const [i, move] of ['cancel', 'pause', 'resume'].entries()) {
      const { start, bring, ask } = await open()
      const { id } = await start()
      await bring(id, ...way)
      const answer = await ask(id, move)
      if (expected[i] === null)
        expect([answer.status, answer.body.error.code, answer.body.error.message]).toEqual([
          409,
          'CONFLICT',
          expect.stringContaining(state),
        ])
      else expect([answer.status, answer.body.data.status]).toEqual([200, expected[i]])
    }
  })

  it('cancel ends the execution at once, and interrupts the worker once', async () => {
    const { start, bring, ask, calls, clock } = await open()
    const { id } = await start()
    await bring(id, 'running')
    await clock.advance(1_000)
    const first = await ask(id, 'cancel')
    expect(first.body.data.finishedAt).toBe('2026-01-01T00:00:01.000Z')
    expect((await ask(id, 'cancel')).body).toEqual(first.body)
    expect(calls.interrupted).toEqual([id])
  })

  it('resume makes a new job each time', async () => {
    const { start, ask, jobs, calls } = await open()
    const { id } = await start()
    for (const move of ['pause', 'resume', 'resume', 'pause', 'resume'])
      expect((await ask(id, move)).status).toBe(200)
    expect(new Set(await jobs()).size).toBe(3)
    expect(calls.woken).toBe(3)
    expect(calls.interrupted).toEqual([id, id])
  })

  it('at the same time leave one state', async () => {
    const { start, ask, call } = await open()
    const { id } = await start()
    const answers = await Promise.all(
      ['cancel', 'pause', 'cancel', 'resume', 'cancel'].map((move) => ask(id, move)),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(3)
    expect((await call('GET', `/api/v1/executions/${id}`)).body.data.status).toBe('cancelled')
  })

  it('retry runs a finished execution anew', async () => {
    const { start, bring, ask, call, task } = await open()
    const { id } = await start({ urls: ['https://other.example.com/'] })
    expect((await ask(id, 'retry')).status).toBe(409)
    await bring(id, 'running', 'failed')
    const retried = await ask(id, 'retry')
    expect([retried.status, retried.body.data]).toEqual([
      201,
      expect.objectContaining({ status: 'queued', retryOf: id, taskId: task.id }),
    ])
    expect((await call('GET', `/api/v1/executions/${id}`)).body.data.status).toBe('failed')
    await call('PATCH', `/api/v1/tasks/${task.id}`, { body: { status: 'archived' } })
    expect((await ask(id, 'retry')).status).toBe(409)
  })

  it('a start succeeds although the queue cannot be woken: the job is stored', async () => {
    const { call, records, logged } = await createServiceHost({
      wake: () => Promise.reject(new Error('queue down')),
    })
    const { id } = (await call('POST', '/api/v1/tasks', { body: { recipe: recipeOf() } })).body.data
    expect((await call('POST', `/api/v1/tasks/${id}/executions`)).status).toBe(201)
    expect(await records.outbox.list(SYSTEM, { limit: 5 })).toHaveLength(1)
    expect(logged.map(({ level }) => level)).toEqual(['warn'])
  })
})

it('executions are listed by task and state, newest first', async () => {
  const { start, bring, call, task } = await open()
  const other = (await call('POST', '/api/v1/tasks', { body: { recipe: recipeOf() } })).body.data
  const ids: string[] = []
  for (let i = 0; i < 6; i++) ids.unshift((await start()).id)
  const foreign = (await call('POST', `/api/v1/tasks/${other.id}/executions`)).body.data.id
  await bring(ids[1] ?? '', 'running')
  const idsOf = async (path: string) =>
    (await call('GET', path)).body.data.items.map(({ id }: { id: string }) => id)
  expect(await idsOf('/api/v1/executions')).toEqual([foreign, ...ids])
  expect(await idsOf(`/api/v1/tasks/${task.id}/executions`)).toEqual(ids)
  expect(await idsOf(`/api/v1/executions?taskId=${other.id}`)).toEqual([foreign])
  expect(await idsOf('/api/v1/executions?status=running')).toEqual([ids[1]])
  expect(await idsOf(`/api/v1/tasks/${task.id}/executions?status=queued`)).toEqual(
    ids.filter((_, i) => i !== 1),
  )
  const first = (await call('GET', `/api/v1/tasks/${task.id}/executions?limit=4`)).body.data
  expect(
    await idsOf(`/api/v1/tasks/${task.id}/executions?limit=4&cursor=${first.nextCursor}`),
  ).toEqual(ids.slice(4))
})

describe('the receipt', async () => {
  const { start, call, addVisit, core, records } = await open()
  const { id } = await start()
  const change = new Change()
  for (let seq = 0; seq < 30; seq++) {
    const url = normalUrl(`https://shop.example.com/${seq}`)
    if (seq % 3 === 0)
      records.frontier.put(change, 'acme', {
        execution: id,
        seq,
        url,
        label: 'detail',
        depth: 1,
        hop: 1,
      })
    else if (seq % 3 === 1) await addVisit({ execution: id, seq, url })
    else
      await addVisit({
        execution: id,
        seq,
        url,
        outcome: 'failed',
        reason: { code: 'http_500', message: 'The site answered 500' },
        httpStatus: 500,
        rows: 0,
        bytes: 0,
        credits: 0,
      })
  }
  await records.commit(change)
  const walk = async (query: string) => {
    const seqs: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { items: { url: string }[]; nextCursor: string | null } = (
        await call(
          'GET',
          `/api/v1/executions/${id}/pages?limit=4${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
      ).body.data
      seqs.push(...page.items.map(({ url }) => Number(url.split('/').at(-1))))
      cursor = page.nextCursor
    }
    return seqs
  }
  const seqs = Array.from({ length: 30 }, (_, seq) => seq)

  it.each([
    ['', seqs],
    ['&outcome=pending', seqs.filter((seq) => seq % 3 === 0)],
    ['&outcome=fetched', seqs.filter((seq) => seq % 3 === 1)],
    ['&outcome=failed', seqs.filter((seq) => seq % 3 === 2)],
    ['&outcome=blocked', []],
    ['&reason=http_500', seqs.filter((seq) => seq % 3 === 2)],
    ['&reason=http_500&outcome=fetched', []],
    ['&reason=timeout', []],
    ['&host=shop.example.com', seqs],
    ['&host=shop.example.com&outcome=pending', seqs.filter((seq) => seq % 3 === 0)],
    ['&host=Shop.Example.COM', seqs],
    ['&host=shop.example.com.', seqs],
    ['&host=example.com', []],
  ])('%s has each URL once, in the order of discovery', async (query, expected) => {
    expect(await walk(query)).toEqual(expected)
  })

  it('says what happened to each URL', async () => {
    expect((await call('GET', `/api/v1/executions/${id}/pages?limit=3`)).body.data.items).toEqual([
      {
        url: 'https://shop.example.com/0',
        finalUrl: null,
        label: 'detail',
        depth: 1,
        listedBy: null,
        outcome: 'pending',
        reason: null,
        httpStatus: null,
        rows: 0,
        bytes: 0,
        durationMs: 0,
        credits: 0,
        at: null,
        visit: null,
      },
      {
        url: 'https://shop.example.com/1',
        finalUrl: null,
        label: 'start',
        depth: 0,
        listedBy: null,
        outcome: 'fetched',
        reason: null,
        httpStatus: 200,
        rows: 1,
        bytes: 10,
        durationMs: 5,
        credits: 1,
        at: '2026-01-01T00:00:00.000Z',
        visit: null,
      },
      {
        url: 'https://shop.example.com/2',
        finalUrl: null,
        label: 'start',
        depth: 0,
        listedBy: null,
        outcome: 'failed',
        reason: { code: 'http_500', message: 'The site answered 500' },
        httpStatus: 500,
        rows: 0,
        bytes: 0,
        durationMs: 5,
        credits: 0,
        at: '2026-01-01T00:00:00.000Z',
        visit: null,
      },
    ])
  })

  it('is counted in whole, or as far as it was read if a reason or a host is asked for', async () => {
    const counts = async (query: string) => {
      const { body } = await call(
        'GET',
        `/api/v1/executions/${id}/pages?limit=4&count=true${query}`,
      )
      return [body.data.total, body.data.totalAtLeast]
    }
    expect(await counts('&reason=http_500')).toEqual([null, 4])
    expect(await counts('&host=shop.example.com')).toEqual([null, 4])
  })

  it('is counted in whole by a reason or a host too where the list has one page', async () => {
    const counts = async (query: string) => {
      const { body } = await call('GET', `/api/v1/executions/${id}/pages?count=true${query}`)
      return [body.data.total, body.data.totalAtLeast, body.data.nextCursor !== null]
    }
    expect(await counts('&host=example.com')).toEqual([0, 0, false])
    expect(await counts('&reason=http_500&limit=100')).toEqual([10, 10, false])
    const first = await call('GET', `/api/v1/executions/${id}/pages?reason=http_500&limit=8`)
    const last = `&reason=http_500&limit=8&cursor=${first.body.data.nextCursor}`
    expect(await counts(last)).toEqual([null, 2, false])
  })

  it('finds a host with other letters as its URLs have it, and refuses what is not a host', async () => {
    const world = await open()
    const { id: own } = await world.start()
    await world.addVisit({
      execution: own,
      seq: 1,
      url: normalUrl('https://xn--bcher-kva.example/1'),
    })
    const ask = (host: string) =>
      world.call('GET', `/api/v1/executions/${own}/pages?host=${encodeURIComponent(host)}`)
    const wrong = [
      'shop.example.com:443',
      'https://shop.example.com',
      'a/b',
      'a b',
      'u@a',
      '[::',
      '?',
    ]
    for (const host of wrong)
      expect([host, (await ask(host)).body.error?.issues]).toEqual([
        host,
        [{ path: 'host', message: expect.stringContaining('without a port') }],
      ])
    expect((await ask('Bücher.example')).body.data.items).toMatchObject([
      { url: 'https://xn--bcher-kva.example/1' },
    ])
  })

  it('takes cursors from before it had the filters by reason and host', async () => {
    for (const outcome of [null, 'fetched'] as const) {
      const context = { account: 'acme', operation: 'executions.pages', filter: [id, outcome] }
      const cursor = await core.cursors.seal(context, [24])
      const query = `limit=100&cursor=${cursor}${outcome ? `&outcome=${outcome}` : ''}`
      const { status, body } = await call('GET', `/api/v1/executions/${id}/pages?${query}`)
      expect(status).toBe(200)
      expect(body.data.items.map(({ url }: { url: string }) => url.split('/').at(-1))).toEqual(
        outcome ? ['25', '28'] : ['25', '26', '27', '28', '29'],
      )
    }
  })

  it('refuses an unknown outcome as a filter', async () => {
    expect(
      (await call('GET', `/api/v1/executions/${id}/pages?outcome=lost`)).body.error.issues[0],
    ).toEqual({ path: 'outcome', message: expect.stringContaining('"skipped_robots"') })
  })
})
