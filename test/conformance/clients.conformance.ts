import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCommand, temporaryFolder } from '../support/command.ts'
import type { RunningCommand } from '../support/command.ts'
import { serveHttp } from '../support/loopback.ts'
import type { Loopback } from '../support/loopback.ts'
import { runTool } from './run-suite.ts'

const KEY = 'svc_sk_conformance'
const PAGES: Readonly<Record<string, string>> = {
  '/':
    '<html lang="en"><title>Fountain pens</title><main><h1>Fountain pens</h1>' +
    '<p>A fountain pen holds its ink in the barrel, and a nib leads it to the paper.</p>' +
    '<a href="/ink">Ink</a></main></html>',
  '/ink':
    '<title>Ink</title><main><h1>Ink</h1><p>Ink for pens is mostly water with dyes, and ' +
    'dries on the paper within seconds.</p></main>',
}

type Answer = Record<string, unknown>
type Call = (
  tool: string,
  args: Readonly<Record<string, string | number | boolean | object>>,
) => Promise<Answer>

const folder = temporaryFolder()
let site: Loopback
let command: RunningCommand
let endpoint: string

beforeAll(async () => {
  site = await serveHttp((req, res) => {
    const page = PAGES[req.url ?? '/']
    res.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page)
  })
  command = startCommand(
    ['serve', '--port', '0', '--data', ':memory:', '--key', KEY, '--allow-private-network'],
    folder.path,
  )
  endpoint = `${(await command.until('stdout', /^listening (\S+)$/m))[1]}/mcp`
})

afterAll(async () => {
  command.child.kill('SIGTERM')
  await command.ended
  await site[Symbol.asyncDispose]()
  folder.remove()
})

/** The official client. */
async function official(): Promise<Call> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(endpoint), {
      requestInit: { headers: { Authorization: `Bearer ${KEY}` } },
    }),
  )
  return async (name, args) => {
    const { isError, structuredContent } = await client.callTool(
      { name, arguments: args },
      undefined,
      { onprogress: () => undefined },
    )
    expect(isError).not.toBe(true)
    return structuredContent as Answer
  }
}

/** The command line of the Inspector, which is a process for each call. */
function inspector(): Call {
  return async (name, args) => {
    const pairs = Object.entries(args).flatMap(([field, value]) => [
      '--tool-arg',
      `${field}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    ])
    const { code, output } = await runTool(
      '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
      [
        '--cli',
        endpoint,
        '--transport',
        'http',
        '--header',
        `Authorization: Bearer ${KEY}`,
        '--method',
        'tools/call',
        '--tool-name',
        name,
        ...pairs,
      ],
    )
    expect(code, output).toBe(0)
    const answer: { isError?: boolean; structuredContent: Answer } = JSON.parse(
      output.slice(output.indexOf('{')),
    )
    expect(answer.isError, output).not.toBe(true)
    return answer.structuredContent
  }
}

describe.each([
  ['the official client', official],
  ["the Inspector's command line", async () => inspector()],
] as const)('%s uses every tool of `seine serve` with success', (_, open) => {
  test('all six', async () => {
    const call = await open()
    const page = await call('fetch', { id: `${site.origin}/` })
    expect(page).toMatchObject({
      title: 'Fountain pens',
      text: expect.stringContaining('holds its ink'),
    })
    expect(await call('search', { query: 'fountain barrel' })).toMatchObject({
      results: [{ title: 'Fountain pens' }],
    })
    const run = await call('crawl', { url: `${site.origin}/`, waitSeconds: 30 })
    expect(run).toMatchObject({ status: 'succeeded', rowsFound: 2 })
    expect(await call('get_run', { runId: String(run['runId']) })).toMatchObject({
      done: true,
      rows: [{ title: 'Fountain pens' }, { title: 'Ink' }],
    })
    expect(await call('search_templates', { query: 'article' })).toMatchObject({
      templates: expect.arrayContaining([expect.objectContaining({ id: 'article' })]),
    })
    expect(
      await call('run_template', {
        id: 'article',
        params: { urls: [`${site.origin}/ink`] },
        waitSeconds: 30,
      }),
    ).toMatchObject({ valid: true, run: { status: 'succeeded' } })
  })
})
