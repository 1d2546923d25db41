import { describe, expect, it } from 'vitest'
import { Change } from '../../src/records/change.ts'
import { createServiceHost, recipeOf } from '../support/worlds/service-host.ts'
import { readSources } from '../support/sources/sources.ts'

const CALL = '/api/v1/mcp/agentic-executions'
const once = { 'Idempotency-Key': 'once' }

describe('a stored answer for a repetition', () => {
  it.each([
    ['mcp:fetch', { tool: 'fetch', arguments: { id: 'https://shop.example.com/' } }],
    ['mcp:crawl', { tool: 'crawl', arguments: { url: 'https://shop.example.com/' } }],
    ['mcp:templates', { tool: 'search_templates' }],
  ])('needs %s, like the call itself', async (scope, body) => {
    const host = await createServiceHost()
    const first = await host.call('POST', CALL, { body, headers: once })
    expect(first.status).toBe(201)
    const searcher = await host.keyOf('acme', ['mcp:search'])
    expect((await host.call('POST', CALL, { body, key: searcher })).status).toBe(403)
    const replay = await host.call('POST', CALL, { body, headers: once, key: searcher })
    expect([replay.status, replay.body.error.code]).toEqual([403, 'FORBIDDEN'])
    expect(replay.headers.get('www-authenticate')).toContain(scope)
    const allowed = await host.call('POST', CALL, {
      body,
      headers: once,
      key: await host.keyOf('acme', [scope]),
    })
    expect([allowed.body, allowed.headers.get('idempotency-replayed')]).toEqual([
      first.body,
      'true',
    ])
  })

  it('needs the scope that the state of a record required', async () => {
    const host = await createServiceHost()
    const run = await host.call('POST', CALL, {
      body: { tool: 'crawl', arguments: { url: 'https://shop.example.com/' }, waitSeconds: 0 },
      headers: { 'Idempotency-Key': 'run' },
    })
    const body = { tool: 'get_run', arguments: { runId: run.body.data.executionId } }
    expect((await host.call('POST', CALL, { body, headers: once })).status).toBe(201)
    const templates = await host.keyOf('acme', ['mcp:templates'])
    expect((await host.call('POST', CALL, { body, headers: once, key: templates })).status).toBe(
      403,
    )
    expect(
      (
        await host.call('POST', CALL, {
          body,
          headers: once,
          key: await host.keyOf('acme', ['mcp:crawl']),
        })
      ).status,
    ).toBe(201)
  })

  it('needs executions:write if the call set a schedule', async () => {
    const host = await createServiceHost()
    const body = { recipe: recipeOf(), schedule: { cron: '@daily' } }
    expect((await host.call('POST', '/api/v1/tasks', { body, headers: once })).status).toBe(201)
    expect(
      (
        await host.call('POST', '/api/v1/tasks', {
          body,
          headers: once,
          key: await host.keyOf('acme', ['tasks:write']),
        })
      ).status,
    ).toBe(403)
  })

  it('of an earlier version needs every scope that its route can require', async () => {
    const host = await createServiceHost()
    const body = { tool: 'search_templates' }
    await host.call('POST', CALL, { body, headers: once })
    const [stored] = await host.records.requests.list('acme', { limit: 1 })
    if (!stored) throw new Error('nothing is stored')
    const { demands, ...before } = stored.value
    expect(demands).toEqual([['mcp:templates']])
    const change = new Change()
    host.records.requests.put(change, 'acme', before)
    await host.records.commit(change)
    expect(
      (
        await host.call('POST', CALL, {
          body,
          headers: once,
          key: await host.keyOf('acme', ['mcp:templates']),
        })
      ).status,
    ).toBe(403)
    expect((await host.call('POST', CALL, { body, headers: once })).status).toBe(201)
  })
})

it('only the module that notes required scopes refuses a caller for a missing scope', () => {
  const judges = [...readSources('src')].flatMap(([path, text]) =>
    /\bgrants\(/.test(text) ? [path] : [],
  )
  expect(judges.toSorted()).toEqual([
    // These check scopes without refusing a caller: the screens of the console, filters of lists, the
    // scopes of a new key, and what the key of a schedule may still do.
    'src/console/app/session.ts',
    'src/features/agentic/service.ts',
    'src/features/common/run-scopes.ts',
    'src/features/keys/key-tree.ts',
    'src/features/me/service.ts',
    'src/features/schedules/service.ts',
    'src/kernel/preconditions.ts',
    'src/kernel/scope.ts',
    'src/mcp/extended/service.ts',
  ])
})
