import { describe, expect, it } from 'vitest'
import { createAuditTrail } from '../../../src/http/audit-trail.ts'
import type { Commit, Store } from '../../../src/ports/store.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { OWNER } from '../../support/worlds/world.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'

const AUDIT = '/api/v1/audit'
const from = { context: { clientIp: '203.0.113.7' } }

/** A host whose store records its commits. */
async function open() {
  const commits: Commit[] = []
  const memory = createMemoryStore({ clock: createFakeClock() })
  const store: Store = {
    ...memory,
    get: (keys) => memory.get(keys),
    list: (range) => memory.list(range),
    commit: (change) => {
      commits.push(change)
      return memory.commit(change)
    },
  }
  const host = await createServiceHost({ store })
  const list = async (query = '') => (await host.call('GET', `${AUDIT}${query}`)).body.data.items
  return { ...host, commits, list }
}

const holds = (change: Commit, name: string): boolean =>
  (change.set ?? []).some(({ key }) => key[1] === name)

describe('a platform that keeps no log', () => {
  it('answers 404, not an empty list, which would mean that nothing was written', async () => {
    const platform = createPlatform({
      store: createMemoryStore(),
      blobs: createMemoryBlobs(),
      authenticators: [async () => OWNER],
      audit: false,
    })
    for (const path of [AUDIT, `${AUDIT}/export?format=csv`]) {
      const response = await platform.fetch(new Request(`https://api.example.com${path}`))
      expect([response.status, await response.json()]).toEqual([
        404,
        {
          success: false,
          error: { code: 'NOT_FOUND', message: 'The log of writes is not kept here' },
        },
      ])
    }
  })
})

describe('the audit log', () => {
  it('says who wrote what, when, from where, and with which result', async () => {
    const { call, list, records } = await open()
    const [{ value: key } = expect.fail()] = await records.apiKeys.list('acme', { limit: 1 })
    const created = await call('POST', '/api/v1/tasks', { body: { recipe: recipeOf() }, ...from })
    expect(await list('?operation=tasks.create')).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        at: '2026-01-01T00:00:00.000Z',
        operation: 'tasks.create',
        subjectId: created.body.data.id,
        user: 'acme',
        keyId: key.id,
        ip: '203.0.113.7',
        requestId: created.headers.get('x-request-id'),
        status: 201,
        code: null,
      },
    ])
  })

  it.each([
    ['search', { query: 'pens' }, 0],
    ['search_templates', {}, 0],
    ['fetch', { id: 'https://shop.example.com/' }, 0],
    ['run_template', { id: 'none', params: {}, validateOnly: true }, 0],
    ['run_template', { id: 'none', params: {} }, 1],
    ['crawl', { url: 'https://shop.example.com/' }, 1],
    ['get_run', { runId: 'none' }, 0],
  ])("has a call of an agent's tool if it starts a run: %s %j", async (tool, args, count) => {
    const { call, list } = await open()
    await call('POST', '/api/v1/mcp/agentic-executions', {
      body: { tool, arguments: args, waitSeconds: 0 },
    })
    expect(await list('?operation=mcp.call')).toHaveLength(count)
  })

  it('has an entry in the commit of the effect, and only there', async () => {
    const { call, commits } = await open()
    commits.length = 0
    await call('POST', '/api/v1/tasks', { body: { recipe: recipeOf() } })
    const audited = commits.filter((change) => holds(change, 'audit'))
    expect(audited.map((change) => holds(change, 'tasks'))).toEqual([true])
  })

  it('has refused writes, and no read, preview or repetition', async () => {
    const { call, list } = await open()
    const once = { body: { recipe: recipeOf() }, headers: { 'idempotency-key': 'one' } }
    const task = (await call('POST', '/api/v1/tasks', once)).body.data.id
    await call('POST', '/api/v1/tasks', once)
    await call('GET', '/api/v1/tasks')
    await call('POST', '/api/v1/tasks/preview', { body: { recipe: recipeOf() } })
    await call('POST', '/api/v1/tasks', { body: {} })
    await call('DELETE', '/api/v1/tasks/task_none')
    await call('DELETE', `/api/v1/tasks/${task}`, { headers: { 'if-match': '"old"' } })
    await call('DELETE', `/api/v1/tasks/${task}`)
    expect(
      (await list()).map(({ operation, subjectId, status, code }: Record<string, unknown>) => [
        operation,
        subjectId,
        status,
        code,
      ]),
    ).toEqual([
      ['tasks.delete', task, 200, null],
      ['tasks.delete', task, 412, 'PRECONDITION_FAILED'],
      ['tasks.delete', 'task_none', 404, 'NOT_FOUND'],
      ['tasks.create', task, 201, null],
    ])
  })

  it('can be filtered, paged and exported', async () => {
    const { call, send, clock, list } = await open()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      ids.unshift(
        (await call('POST', '/api/v1/tasks', { body: { recipe: recipeOf() } })).body.data.id,
      )
      await clock.advance(3_600_000)
    }
    const subjects = async (query: string) =>
      (await list(query)).map(({ subjectId }: { subjectId: string }) => subjectId)
    expect(await subjects('')).toEqual(ids)
    expect(await subjects('?from=2026-01-01T01:00:00Z&to=2026-01-01T03:00:00Z')).toEqual(
      ids.slice(2, 4),
    )
    expect(await subjects(`?subjectId=${ids[1]}`)).toEqual([ids[1]])
    expect(await subjects('?user=nobody')).toEqual([])
    const first = (await call('GET', `${AUDIT}?limit=3`)).body.data
    expect(await subjects(`?limit=3&cursor=${encodeURIComponent(first.nextCursor)}`)).toEqual(
      ids.slice(3),
    )
    const lines = (await (await send('GET', `${AUDIT}/export?format=jsonl`)).text()).trim()
    expect(lines.split('\n').map((line) => JSON.parse(line).subjectId)).toEqual(ids)
    const csv = await (await send('GET', `${AUDIT}/export?from=2026-01-01T04:00:00Z`)).text()
    expect(csv.trim().split('\r\n')).toEqual([
      'id,at,operation,subjectId,user,keyId,ip,requestId,status,code',
      expect.stringContaining(`,tasks.create,${ids[0]},acme,`),
    ])
    expect((await call('GET', `${AUDIT}?from=soon`)).body.error.issues[0].path).toBe('from')
  })

  it('drops entries after its days, and is off if the host says so', async () => {
    const { core, clock } = await createServiceHost()
    const entry = createAuditTrail(core, 1).begin({
      account: 'acme',
      operation: 'tasks.create',
      subject: null,
      user: 'ann',
      key: null,
      ip: null,
      requestId: 'req',
      status: 201,
    })
    await entry.done({ id: 'task_1' })
    const count = async () => (await core.records.audits.list('acme', { limit: 9 })).length
    expect(await count()).toBe(1)
    await clock.advance(86_400_001)
    expect(await count()).toBe(0)
  })
})
