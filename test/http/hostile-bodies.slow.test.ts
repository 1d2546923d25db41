import { expect, it, onTestFinished, vi } from 'vitest'
import { readBody } from '../../src/http/read-request.ts'
import { cpuMs } from '../support/cpu-ms.ts'
import { createServiceHost } from '../support/worlds/service-host.ts'

const start = { urls: ['https://shop.example.com/'] }
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const named = (count: number, make: (i: number) => unknown) =>
  Object.fromEntries(times(count, (i) => [`k${i}`, make(i)]))

/** Bodies of hundreds of kilobytes that are wrong in thousands of places. */
const bodies: Record<string, unknown> = {
  'unknown fields of the body': { recipe: { start }, ...named(30_000, (i) => i) },
  'unknown fields of the recipe': { recipe: { start, ...named(30_000, (i) => i) } },
  'URLs that are numbers': { recipe: { start: { urls: times(100_000, (i) => i) } } },
  'private URLs': { recipe: { start: { urls: times(3_000, (i) => `http://10.0.0.1/p/${i}`) } } },
  'URLs that are none': {
    recipe: { start: { urls: times(10_000, (i) => `nonsense ${i} {{{`) } },
  },
  'fields that are numbers': { recipe: { start, extract: { fields: named(30_000, () => 5) } } },
  'sources with unknown fields': {
    recipe: { start, extract: { fields: named(200, () => times(200, () => ({ x: 1, css: '' }))) } },
  },
  'rules that are none': { recipe: { start, follow: times(30_000, () => ({ x: 1 })) } },
  'headers that are none': { recipe: { start, page: { headers: named(20_000, () => '\u00e9') } } },
  labels: { recipe: { start }, labels: times(60_000, (i) => `l${i}`) },
}

it.each(Object.entries(bodies))('%s are refused quickly, with a short answer', async (_, body) => {
  const { send } = await createServiceHost()
  const text = JSON.stringify(body)
  // Code that is loaded for the first body does not count as its cost.
  await send('POST', '/api/v1/tasks', { body: '{}' })
  const before = cpuMs()
  const response = await send('POST', '/api/v1/tasks', { body: text })
  const cpu = cpuMs() - before
  const answer = await response.text()
  expect(response.status).toBe(400)
  expect(answer.length).toBeLessThan(20_000)
  expect(JSON.parse(answer).error.issues.length).toBeLessThanOrEqual(100)
  // It takes less than 50 ms on an idle machine; before there were bounds it took up to 1,400.
  expect(cpu).toBeLessThan(700)
})

it.each(['crawl', 'page', 'extract', 'output', 'budget', 'start'])(
  'a list for recipe.%s is refused',
  async (part) => {
    const { call } = await createServiceHost()
    const answer = await call('POST', '/api/v1/tasks', { body: { recipe: { start, [part]: [] } } })
    expect([answer.status, answer.body.error.issues]).toEqual([
      400,
      [{ path: `recipe.${part}`, message: 'must be an object' }],
    ])
  },
)

it('the number of values in a large body, without commas in texts, is checked before it is parsed', async () => {
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  const post = (text: string) =>
    readBody(
      new Request('https://a.com/', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: text,
      }),
      2_000_000,
    )
  for (const text of [
    ','.repeat(80_000),
    '",'.repeat(50_000),
    '\\'.repeat(70_000) + '",\\",',
    '\\'.repeat(70_001) + ',"'.repeat(40_000),
    '[{,"\\u0022'.repeat(30_000),
  ]) {
    const body = { a: text, b: [text], [text]: 1 }
    expect(await post(JSON.stringify(body))).toMatchObject({ value: body })
  }
  parse.mockClear()
  await expect(
    post(JSON.stringify({ a: 'x'.repeat(70_000), b: times(31_000, () => 1) })),
  ).rejects.toMatchObject({
    issues: [{ path: '', message: expect.stringMatching(/^the body has more than 30,000 values/) }],
  })
  expect(parse).not.toHaveBeenCalled()
  await expect(post(`{"a":"${'x'.repeat(70_000)}`)).rejects.toMatchObject({
    issues: [{ path: '', message: 'the body is not valid JSON, from character 70007 on' }],
  })
})
