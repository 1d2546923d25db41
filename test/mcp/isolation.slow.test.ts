import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMcpHandler } from '../../src/mcp/handler.ts'
import type { World } from '../support/worlds/world.ts'
import { callOf, createMcpWorld, keyOf, post } from './mcp-world.ts'

const NAMES = ['heron', 'osprey'] as const
const ROUNDS = 100

/** A web with a site for each account, whose pages contain a word of that account. */
function sites(): Record<string, string> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const page = (path: string) => [
        `https://${name}.example.com/${path}`,
        `<title>Of ${name}</title><main><h1>Of ${name}</h1><p>The canary of ${name}` +
          ' sings a song that is long enough to count as content.</p><a href="/two">On</a>' +
          '</main>',
      ]
      return [page(''), page('two')]
    }),
  )
}

/**
 * The calls of an account in turn: every tool that shows data of the account, with and without a
 * stream.
 */
function askOf(name: string, round: number, run: string): { message: object; accept: string } {
  const url = `https://${name}.example.com/`
  const asks: [string, object][] = [
    ['search', { query: 'canary' }],
    ['fetch', { id: url }],
    ['get_run', { runId: run }],
    ['crawl', { url, scope: 'host', waitSeconds: 4 }],
    ['run_template', { id: 'article', params: { urls: [url] }, waitSeconds: 2 }],
  ]
  const [tool, args] = asks[round % asks.length] ?? ['search', {}]
  const call = callOf(tool, args, round)
  const message =
    round % 2 === 0
      ? call
      : { ...call, params: { name: tool, arguments: args, _meta: { progressToken: round } } }
  return {
    message,
    accept: round % 3 === 0 ? 'application/json' : 'application/json, text/event-stream',
  }
}

test.each([
  [
    'in process',
    ({ platform }: World) =>
      async (request: Request) =>
        platform.fetch(request),
  ],
  [
    'apart',
    ({ platform, clock }: World) =>
      createMcpHandler({
        baseUrl: 'http://api.example',
        fetch: async (request) => platform.fetch(request),
        clock,
      }),
  ],
])(
  '%s: two accounts with 200 calls at the same time and with the same ids see nothing of each other',
  async (_, endpointOf) => {
    const world = createMcpWorld(sites())
    const endpoint = endpointOf(world)
    const callers = await Promise.all(
      NAMES.map(async (name) => {
        const principal = { account: name, user: name, scopes: ['*'] }
        const { id } = await world.platform.api.executions.run(principal, {
          recipe: {
            start: { urls: [`https://${name}.example.com/`] },
            extract: { fields: { title: 'h1' } },
          },
        })
        return { name, run: id, key: await keyOf(world, ['mcp:*'], principal) }
      }),
    )
    await world.work()
    const stop = new AbortController()
    const work = world.platform.worker.run({ signal: stop.signal })
    const answers = Array.from({ length: ROUNDS }, (__, round) =>
      callers.map(async ({ name, run, key }) => {
        for (let turns = (round * 7) % 13; turns > 0; turns--) await turn()
        const { message, accept } = askOf(name, round, run)
        const response = await endpoint(post(message, { 'x-api-key': key, accept }))
        return {
          name,
          round,
          type: response.headers.get('content-type'),
          text: await response.text(),
        }
      }),
    ).flat()
    const outcomes = await world.clock.runUntil(Promise.all(answers))
    stop.abort()
    await world.clock.runUntil(work)
    expect(outcomes).toHaveLength(200)
    for (const { name, round, text } of outcomes) {
      expect(text).toContain(`"id":${round}`)
      expect(text).not.toContain('"isError":true')
      for (const other of callers)
        if (other.name !== name)
          for (const word of [other.name, other.run]) expect(text).not.toContain(word)
    }
    expect(
      outcomes.filter(({ name, text }) => text.includes(`canary of ${name}`)).length,
    ).toBeGreaterThan(60)
    expect(outcomes.filter(({ type }) => type === 'text/event-stream').length).toBeGreaterThan(10)
  },
)
