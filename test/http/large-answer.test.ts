import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createServiceHost } from '../support/service-host.ts'
import { ENVELOPES } from '../../src/kernel/body-style.ts'
import type { Json } from '../../src/kernel/json.ts'
import { Pace, Turns } from '../../src/kernel/pace.ts'
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
  const pace = new Pace({ now: () => (now += 10), turns: new Turns(async () => void pauses++) })
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
