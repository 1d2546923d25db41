import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Shop } from '../../../examples/demo/shop.ts'
import { runCommand, startCommand, temporaryFolder } from '../../support/command.ts'
import { requireBuild } from '../../support/sources/dist.ts'
import { root } from '../../support/sources/sources.ts'
import { startDocsSite } from '../../support/worlds/docs-site.ts'

// Proves that a client which starts the server itself uses the tools over stdin and stdout: on local
// data and on a remote server, in both eras of the protocol. Nothing else is on stdout.

const KEY = 'svc_sk_stdin_0123456789'
const MAIN = join(root, 'dist/command/main.js')
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
type Content = Record<string, unknown>

let folder: ReturnType<typeof temporaryFolder>
let site: Shop
beforeAll(async () => {
  requireBuild()
  folder = temporaryFolder()
  site = await startDocsSite()
})
afterAll(async () => {
  await site.close()
  folder.remove()
})

/** Starts `seine mcp` with pipes. Each line of its stdout must be a message. */
function startMcp(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [MAIN, 'mcp', ...args], {
    cwd: folder.path,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const answers = new Map<unknown, Content>()
  const waiting = new Map<unknown, (answer: Content) => void>()
  createInterface(child.stdout).on('line', (line) => {
    const answer: Content = JSON.parse(line)
    answers.set(answer['id'], answer)
    waiting.get(answer['id'])?.(answer)
  })
  const say = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    child,
    say,
    ask(id: number, method: string, params: object = {}): Promise<Content> {
      const answer = new Promise<Content>((resolve) => waiting.set(id, resolve))
      say({ id, method, params })
      return answer
    },
    async ended(): Promise<{ code: unknown; signal: unknown; stderr: string; answers: number }> {
      const [code, signal] = await once(child, 'close')
      return { code, signal, stderr, answers: answers.size }
    },
  }
}

const fetchOf = (url: string) => ({ name: 'fetch', arguments: { url } })

test('the official client starts the server, calls tools on local data, and ends the server', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', '--data', 'own', '--tools', 'extended', '--allow-private-network'],
    cwd: folder.path,
    stderr: 'pipe',
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['fetch', 'extract', 'watch']),
  )
  const crawled = await client.callTool({
    name: 'crawl',
    arguments: { url: site.url, maxPages: 3, waitSeconds: 50 },
  })
  // The server's own worker has run the execution.
  expect(crawled.structuredContent).toMatchObject({ status: 'succeeded', done: true })
  const [saved] = [await client.callTool({ name: 'query_dataset', arguments: {} })]
  expect(saved.structuredContent).toMatchObject({ items: [] })
  await client.close()
  const listed = await runCommand(['runs', '--data', 'own', '--json'], folder.path)
  expect(listed.stdout.trim().split('\n')).toHaveLength(1)
})

test('the server speaks both eras of the protocol; the end of stdin ends it after the last answer', async () => {
  // A settings file that prints must not put its text between the messages.
  writeFileSync(join(folder.path, 'loud.mjs'), "console.log('loading')\nexport default {}\n")
  const { child, ask, say, ended } = startMcp(
    '--data eras --config loud.mjs --allow-private-network'.split(' '),
  )
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  }
  expect(await ask(1, 'initialize', hello)).toMatchObject({
    result: { serverInfo: { name: 'seine' } },
  })
  say({ method: 'notifications/initialized' })
  expect(await ask(2, 'server/discover', { _meta: MODERN })).toMatchObject({
    result: { supportedVersions: ['2026-07-28'] },
  })
  const last = ask(3, 'tools/call', { ...fetchOf(site.url), _meta: MODERN })
  child.stdin.end()
  expect(await last).toMatchObject({
    result: { resultType: 'complete', content: [{ type: 'text' }] },
  })
  expect(await ended()).toEqual({ code: 0, signal: null, stderr: 'loading\n', answers: 3 })
})

test('calls are forwarded to a remote server, and its refusals become the answers', async () => {
  const server = startCommand(
    ['serve', '--port', '0', '--data', ':memory:', '--key', KEY, '--allow-private-network'],
    folder.path,
  )
  try {
    const [, url = ''] = await server.until('stdout', /^listening (\S+)\n/)
    const { child, ask, ended } = startMcp(['--tools', 'search,fetch'], {
      SEINE_URL: url,
      SEINE_KEY: KEY,
    })
    const { result } = await ask(1, 'tools/list')
    expect(result).toMatchObject({ tools: [{ name: 'search' }, { name: 'fetch' }] })
    expect(await ask(2, 'tools/call', fetchOf(site.url))).toMatchObject({
      result: { structuredContent: { url: `${site.url}/` } },
    })
    child.stdin.end()
    expect((await ended()).code).toBe(0)
    const stranger = startMcp(['--url', url], { SEINE_KEY: `${KEY}x` })
    expect(await stranger.ask(1, 'tools/list')).toMatchObject({
      error: { message: 'A valid credential is required' },
    })
    stranger.child.kill('SIGTERM')
    expect(await stranger.ended()).toMatchObject({ code: 0, signal: null })
  } finally {
    server.child.kill('SIGTERM')
    await server.ended
  }
})

test('wrong use is reported on stderr, and stdout stays empty', async () => {
  const run = (...args: string[]) => runCommand(['mcp', ...args], folder.path)
  expect(await run('--tools', 'fetch,serach', '--data', 'wrong')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^seine: --tools must be .*did you mean search\?\n$/),
  })
  expect(await run('--tools', ',', '--data', 'wrong')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--tools must be extended, or names of tools such as fetch'),
  })
  const named = { SEINE_MCP_TOOLS: 'serach' }
  expect(await runCommand(['mcp', '--data', 'wrong'], folder.path, named)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^seine: SEINE_MCP_TOOLS must be .*did you mean search\?\n$/),
  })
  expect(await run('--url', 'ftp://a.example')).toMatchObject({ code: 2, stdout: '' })
  expect(await run('--data', ':memory:')).toMatchObject({ code: 2, stdout: '' })
})
