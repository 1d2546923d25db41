import { expect, it } from 'vitest'
import { createServiceHost } from '../../support/worlds/service-host.ts'

const PATH = '/api/v1/mcp/agentic-executions'

it('calls, also refused ones, are listed with caller and outcome, and expire', async () => {
  const { call, clock } = await createServiceHost()
  const ask = (tool: string, args: object, keep?: boolean) =>
    call('POST', PATH, { body: { tool, arguments: args, ...(keep === false && { keep }) } })
  const first = (await ask('search', { query: 'pens' })).body.data.id
  await clock.advance(3_600_000)
  await ask('search', { query: 'ink' }, false)
  await clock.advance(3_600_000)
  expect((await ask('get_run', { id: 'exec_unknown' })).status).toBeGreaterThan(399)
  const of = async (query: string): Promise<{ id: string; tool: string; code: string | null }[]> =>
    (await call('GET', `${PATH}?${query}`)).body.data.items
  const all = await of('')
  expect(all.map(({ tool, code }) => [tool, code === null])).toEqual([
    ['get_run', false],
    ['search', true],
    ['search', true],
  ])
  expect(all.at(-1)).toEqual({
    id: first,
    at: '2026-01-01T00:00:00.000Z',
    tool: 'search',
    user: expect.any(String),
    keyId: expect.stringMatching(/^key_/),
    executionId: null,
    code: null,
    credits: 0,
  })
  expect(await of('sort=createdAt')).toEqual(all.toReversed())
  expect(await of('tool=get_run')).toEqual([all[0]])
  expect(await of('from=2026-01-01T01:00:00Z&to=2026-01-01T02:00:00Z')).toEqual([all[1]])
  expect((await call('GET', `${PATH}?tool=surf`)).status).toBe(400)
  await clock.advance(90 * 86_400_000)
  expect(await of('')).toEqual([])
})
