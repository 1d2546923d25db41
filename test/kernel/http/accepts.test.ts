import { describe, expect, it } from 'vitest'
import { accepts } from '../../../src/kernel/http/headers.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'

it.each([
  [null, true],
  ['', true],
  ['*/*', true],
  ['application/json', true],
  ['application/*', true],
  ['APPLICATION/JSON', true],
  ['application/json; charset=utf-8', true],
  ['text/html, application/xhtml+xml, */*;q=0.8', true],
  ['text/html, application/json;q=0.1', true],
  ['text/html', false],
  ['text/*', false],
  ['application/xml', false],
  ['application/json;q=0', false],
  ['application/json;q=0.000, */*', false],
  ['*/*;q=0', false],
  ['*/*;q=0, application/json', true],
  ['application/*;q=0, */*', false],
  ['text/html, */*;q=0', false],
  // A header that is not a list of media ranges excludes nothing.
  ['json', true],
  ['application/json, ;;', true],
  ['/', true],
])('Accept: %s allows JSON: %s', (header, answer) => {
  expect(accepts(header, 'application/json; charset=utf-8')).toBe(answer)
})

describe('an answer that Accept excludes', () => {
  it('is 406, and the operation has no effect', async () => {
    const { call } = await createServiceHost()
    const refused = await call('POST', '/api/v1/tasks', {
      body: { name: 'x', recipe: recipeOf() },
      headers: { Accept: 'text/csv' },
    })
    expect([refused.status, refused.body.error.code]).toEqual([406, 'NOT_ACCEPTABLE'])
    expect((await call('GET', '/api/v1/tasks')).body.data.items).toEqual([])
  })

  it('of a file depends on its format', async () => {
    const { send, executionWith } = await createServiceHost()
    const { id } = await executionWith([[{ title: 'a', price: null }]])
    const statusOf = async (format: string, accept: string) =>
      (
        await send('GET', `/api/v1/executions/${id}/results/export?format=${format}`, {
          headers: { Accept: accept },
        })
      ).status
    expect([
      await statusOf('csv', 'text/csv'),
      await statusOf('csv', 'text/html'),
      await statusOf('json', 'application/json'),
      await statusOf('json', 'text/csv'),
    ]).toEqual([200, 406, 200, 406])
  })

  it('is never that of a file if only JSON is accepted, as many clients always send that', async () => {
    const { send, executionWith } = await createServiceHost()
    const { id } = await executionWith([[{ title: 'a', price: null }]])
    const typeOf = async (path: string) => {
      const { status, headers } = await send('GET', `/api/v1/executions/${id}/${path}`, {
        headers: { Accept: 'application/json' },
      })
      return [status, headers.get('content-type')]
    }
    expect(await typeOf('results/export')).toEqual([200, expect.stringMatching(/^text\/csv/)])
    expect((await typeOf('results/download?format=xlsx'))[0]).toBe(200)
    expect((await typeOf('events'))[0]).toBe(406)
  })
})
