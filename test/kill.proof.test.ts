import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCommand, temporaryFolder, type RunningCommand } from './support/command.ts'
import { requireBuild } from './support/sources/dist.ts'

const LISTS = 10
const PER_LIST = 49
const PAGES = LISTS + LISTS * PER_LIST
const LATENCY_MS = 15
/** The largest number of requests that the site answers before the kill, however late the kill is. */
const ANSWERED = 250
const SEEN = PAGES / 4
const CONCURRENCY = 8
const KEY = 'svc_sk_kill-test'

let folder: ReturnType<typeof temporaryFolder>
let site: {
  readonly server: Server
  readonly url: string
  readonly requests: string[]
  open(): void
}
beforeAll(async () => {
  requireBuild()
  folder = temporaryFolder()
  site = await startSite()
})
afterAll(() => {
  site.server.closeAllConnections()
  site.server.close()
  folder.remove()
})

/** 10 list pages with 49 things each, and a page for each thing: 500 pages. */
async function startSite() {
  const requests: string[] = []
  let isOpen = false
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    if (requests.push(path) > ANSWERED && !isOpen) return
    const [, kind, text = ''] = /^\/(list|thing)\/(\d+)$/.exec(path) ?? []
    const number = Number(text)
    const body =
      kind === 'list'
        ? listPage(number)
        : kind === 'thing'
          ? `<h1>Thing ${number}</h1><b class="n">${number * 7}</b>`
          : null
    setTimeout(
      () =>
        response
          .writeHead(body === null ? 404 : 200, { 'content-type': 'text/html' })
          .end(body ?? ''),
      LATENCY_MS,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  return {
    server,
    url: `http://127.0.0.1:${address.port}`,
    requests,
    open: () => void (isOpen = true),
  }
}

function listPage(list: number): string {
  const links = Array.from(
    { length: PER_LIST },
    (_, i) => `<li><a class="thing" href="/thing/${list * PER_LIST + i}">a</a></li>`,
  ).join('')
  return `<ul>${links}</ul>${list + 1 < LISTS ? `<a class="next" href="/list/${list + 1}">next</a>` : ''}`
}

async function start(): Promise<{
  command: RunningCommand
  call: <T>(path: string, body?: object) => Promise<T>
}> {
  const command = startCommand(
    [
      'serve',
      '--port',
      '0',
      '--data',
      'data',
      '--key',
      KEY,
      '--allow-private-network',
      '--no-rate-limit',
    ],
    folder.path,
  )
  const [, url = ''] = await command.until('stdout', /^listening (\S+)\n/)
  return {
    command,
    call: async (path, body) => {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
      const response = await fetch(
        url + path,
        body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
      )
      const answer = JSON.parse(await response.text())
      if (!response.ok) throw new Error(answer.error.message)
      return answer.data
    },
  }
}

interface Run {
  readonly id: string
  readonly status: string
  readonly counters: Readonly<Record<string, number>>
}

interface List<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
}

async function all<T>(call: <U>(path: string) => Promise<U>, path: string): Promise<T[]> {
  const items: T[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: List<T> = await call(
      `${path}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    items.push(...page.items)
    cursor = page.nextCursor
  }
  return items
}

test('a crawl has the right rows, counters and receipt after kill -9 in its middle and a restart', async () => {
  const first = await start()
  const recipe = {
    start: { urls: [`${site.url}/list/0`] },
    follow: [
      { next: 'a.next', on: 'start' },
      { links: 'a.thing', as: 'thing', on: 'start' },
    ],
    crawl: { concurrency: CONCURRENCY },
    extract: { on: 'thing', fields: { title: 'h1', n: { css: '.n', as: 'number' } } },
  }
  const task = await first.call<{ id: string }>('/api/v1/tasks', { name: 'Things', recipe })
  const { id } = await first.call<Run>(`/api/v1/tasks/${task.id}/executions`, {})
  const path = `/api/v1/executions/${id}`
  await expect
    .poll(async () => (await first.call<Run>(path)).counters['visited'], { interval: 20 })
    .toBeGreaterThan(SEEN)
  first.command.child.kill('SIGKILL')
  expect(await first.command.ended).toMatchObject({ code: null, signal: 'SIGKILL' })
  const before = site.requests.length
  expect(before).toBeLessThan(PAGES)
  site.open()

  const second = await start()
  await expect
    .poll(async () => (await second.call<Run>(path)).status, { interval: 100 })
    .toBe('succeeded')
  const { counters } = await second.call<Run>(path)
  const rows = await all<{ title: string; n: number }>(second.call, `${path}/results`)
  const receipt = await all<{ url: string; outcome: string; rows: number; bytes: number }>(
    second.call,
    `${path}/pages`,
  )

  const things = Array.from({ length: LISTS * PER_LIST }, (_, i) => ({
    title: `Thing ${i}`,
    n: i * 7,
  }))
  expect(rows.toSorted((a, b) => a.n - b.n)).toEqual(things)
  expect(receipt).toHaveLength(PAGES)
  expect(new Set(receipt.map((page) => page.url)).size).toBe(PAGES)
  expect(receipt.every((page) => page.outcome === 'fetched')).toBe(true)
  const sum = (of: (page: (typeof receipt)[number]) => number) =>
    receipt.reduce((total, page) => total + of(page), 0)
  expect(counters).toMatchObject({
    discovered: PAGES,
    visited: PAGES,
    fetched: PAGES,
    pending: 0,
    failed: 0,
    duplicate: 0,
    rows: things.length,
    bytes: sum((page) => page.bytes),
  })
  expect(sum((page) => page.rows)).toBe(things.length)
  // Only pages that were in progress when the process died, or not yet written, were fetched again.
  const repeated = site.requests.filter((url) => url !== '/robots.txt').length - PAGES
  expect(repeated).toBeGreaterThanOrEqual(0)
  expect(repeated).toBeLessThanOrEqual(ANSWERED + CONCURRENCY - SEEN)

  second.command.child.kill('SIGTERM')
  expect((await second.command.ended).code).toBe(0)
})
