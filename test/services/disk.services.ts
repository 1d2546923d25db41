import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/create-client.ts'
import { runCommand, startCommand, temporaryFolder } from '../support/command.ts'
import { requireBuild } from '../support/sources/dist.ts'

// A server whose disk is full, or read-only, while a run goes on. strace gives its calls that
// write the answers of such a disk: no mount is needed, and the rest of the machine has space.

const PAGES = 40
const WRITES = ['pwrite64', '?rename', '?renameat', '?renameat2', '?mkdir', '?mkdirat']
const recipe = {
  start: { urls: ['https://a.com/'] },
  extract: { fields: { title: 'title' } },
}

beforeAll(() => requireBuild())
const folder = temporaryFolder()
afterAll(() => folder.remove())

/** Lets calls of a process fail. Returns what ends that. */
async function failCalls(pid: number, code: string, calls: readonly string[]) {
  const strace = spawn(
    'strace',
    ['-f', '-p', String(pid), '-o', '/dev/null', '-e', `trace=${calls.join(',')}`].concat([
      '-e',
      `inject=${calls.join(',')}:error=${code}`,
    ]),
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let output = ''
  strace.stderr.setEncoding('utf8')
  while (!output.includes('attached')) {
    const [text] = await once(strace.stderr, 'data')
    output += String(text)
  }
  return async () => {
    strace.kill('SIGTERM')
    await once(strace, 'exit')
  }
}

/** A site whose pages answer when the test lets them. */
async function startSite() {
  const waiting: (() => void)[] = []
  let isOpen = false
  const server = createServer((request, response) => {
    const answer = () => {
      response.setHeader('content-type', 'text/html')
      const links = Array.from({ length: PAGES }, (_, i) => `<a href="/p/${i}">p</a>`)
      response.end(`<title>${request.url}</title>${request.url === '/' ? links.join('') : ''}`)
    }
    if (isOpen || request.url === '/' || request.url === '/robots.txt') answer()
    else waiting.push(answer)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/`,
    /** Pages that wait for their answer. */
    waiting,
    answer(count: number) {
      for (const each of waiting.splice(0, count)) each()
    },
    open() {
      isOpen = true
      this.answer(Infinity)
    },
    close: () => server.close(),
  }
}

it.for([
  ['ENOSPC', WRITES, /no space left/],
  ['EROFS', [...WRITES, '?access', '?faccessat', '?faccessat2'], /is read-only/],
] as const)('a disk that answers %s is told, and loses nothing', async ([code, calls, reason]) => {
  const data = `${folder.path}/${code}`
  const site = await startSite()
  const key = (await runCommand(['keys', 'create', '--data', data], folder.path)).stdout.trim()
  const server = startCommand(
    ['serve', '--port', '0', '--log-format', 'json', '--data', data, '--allow-private-network'],
    folder.path,
  )
  try {
    const [, baseUrl = ''] = await server.until('stdout', /^listening (\S+)\n/)
    const client = createClient({ baseUrl, apiKey: key, retries: 0 })
    const { id } = await client.executions.run({
      recipe: {
        start: { urls: [site.url] },
        crawl: { scope: 'host', robots: false, maxPages: PAGES + 1 },
        extract: { fields: { title: 'title' } },
      },
    })
    await expect.poll(() => site.waiting.length).toBeGreaterThan(0)
    const acknowledged = [(await client.tasks.create({ name: 'before', recipe })).id]

    const heal = await failCalls(server.child.pid ?? 0, code, calls)
    const refused = await fetch(`${baseUrl}/api/v1/tasks`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'refused', recipe }),
    })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await refused.text()).toMatch(reason)
    site.answer(3)
    await server.until('stderr', /Nothing can be stored/)
    expect((await client.tasks.list()).items.map((task) => task.id)).toEqual(acknowledged)
    expect((await client.executions.get(id)).status).toBe('running')

    await heal()
    await server.until('stderr', /Data is stored again/)
    acknowledged.push((await client.tasks.create({ name: 'after', recipe })).id)
    site.open()
    await expect
      .poll(async () => (await client.executions.get(id)).status, { timeout: 60_000 })
      .toBe('succeeded')
    const rows = (await client.results.list(id, { limit: 100 })).items
    expect(new Set(rows.map((row) => row['title'])).size).toBe(PAGES + 1)
    expect(rows).toHaveLength(PAGES + 1)
    const tasks = (await client.tasks.list()).items.map((task) => task.id)
    expect(tasks.toSorted()).toEqual(acknowledged.toSorted())
  } finally {
    server.child.kill('SIGTERM')
    await server.ended
    site.close()
  }
  const { code: exit, stderr } = await server.ended
  expect(exit).toBe(0)
  const count = (text: string): number => stderr.split(text).length - 1
  expect([count('Nothing can be stored'), count('Data is stored again')]).toEqual([1, 1])
  expect(count('"level":"error"')).toBe(0)
  const verified = await runCommand(['verify', '--data', data], folder.path)
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything agrees') })
})
