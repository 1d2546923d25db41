import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createServiceHost } from '../support/service-host.ts'
import { ENVELOPES } from '../../src/kernel/body-style.ts'
import type { Json } from '../../src/kernel/json.ts'
import { Pace } from '../../src/kernel/pace.ts'
import { largeSuccess } from '../../src/http/large-answer.ts'
import { success } from '../../src/http/respond.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
const shown = { status: 200, bodies: ENVELOPES, tagged: digest, publicForSeconds: null }
const large = (): { readonly [key: string]: Json } => ({ items: Array.from({ length: 60 }, (_, at) => ({ text: `é"\n${at}`.repeat(10_000) })), nextCursor: null })

test('a large answer is the same as a small one, tag and all', async () => {
  const answer = await largeSuccess(large(), shown)
  const whole = success(large(), shown)
  expect(answer?.headers).toEqual(whole.headers)
  expect(new TextDecoder().decode(answer?.body)).toBe(whole.body)
  expect(await largeSuccess({ items: [] }, shown)).toBeNull()
})

test('it is written in slices, none of more than some hundred thousand characters', async () => {
  let pauses = 0
  let now = 0
  const pace = new Pace({ now: () => (now += 10), pause: async () => void pauses++ })
  const text = success(large(), shown).body
  await largeSuccess(large(), shown, pace)
  expect(pauses).toBeGreaterThan(text.length / 200_000)
})

test('rows of megabytes are answered whole, with their length and a tag that holds', async () => {
  const host = await createServiceHost()
  const recipe = { start: { urls: ['https://shop.example.com/'] }, extract: { fields: { text: 'p' } } }
  const task = (await host.call('POST', '/api/v1/tasks', { body: { recipe } })).body.data.id
  const execution = (await host.call('POST', `/api/v1/tasks/${task}/executions`)).body.data.id
  const text = 'ü😀"x'.repeat(700_000)
  await host.addSegment(execution, [{ text }])
  const path = `/api/v1/executions/${execution}/results`
  const got = await host.send('GET', path)
  const body = await got.text()
  expect([got.status, JSON.parse(body).data.items]).toEqual([200, [{ text }]])
  expect(Number(got.headers.get('content-length'))).toBe(new TextEncoder().encode(body).length)
  const head = await host.send('HEAD', path)
  expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([200, got.headers.get('content-length'), got.headers.get('etag')])
  const known = await host.send('GET', path, { headers: { 'if-none-match': got.headers.get('etag') ?? '' } })
  expect([known.status, await known.text()]).toEqual([304, ''])
})

test('a reader that takes nothing of one holds its place, not for ever; a small one holds none', async () => {
  const host = await createServiceHost({ shares: { answers: { places: 2, each: 1, waiting: 0 } } })
  const { id } = await host.executionWith([[{ title: 'x'.repeat(3_000_000) }]])
  const { id: small } = await host.executionWith([[{ title: 'pen' }]])
  const path = `/api/v1/executions/${id}/results`
  for (let time = 0; time < 3; time++) {
    expect((await host.send('GET', `/api/v1/executions/${small}/results`)).status).toBe(200)
    expect((await host.send('HEAD', path)).status).toBe(200)
    expect((await host.send('GET', path, { headers: { 'If-Match': '"other"' } })).status).toBe(412)
    expect((await (await host.send('GET', path)).text()).length).toBeGreaterThan(3_000_000)
  }
  const stalled = (await host.send('GET', path)).body?.getReader()
  expect((await stalled?.read())?.value?.length).toBeGreaterThan(0)
  const refused = await host.call('GET', path)
  expect([refused.status, refused.body.error.code]).toEqual([429, 'TOO_MANY_REQUESTS'])
  // 256 KiB were taken, for which there are 32 seconds more.
  await host.clock.advance(100_000)
  await expect(stalled?.read()).rejects.toThrow('The answer broke off')
  expect((await host.send('GET', path)).status).toBe(200)
})
