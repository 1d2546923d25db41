import { createServer } from 'node:http'
import { env } from 'node:process'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { isObject } from '../../src/kernel/json.ts'
import { after, numberIn } from './evaluation.ts'
import { manual, news } from './sites.ts'
import type { Web } from './sites.ts'
import { tokens } from './table.ts'

// Tasks of `tasks/find.ts` with the tools of a browser's MCP server, by scripts in place of a
// model. It needs that server and a browser, so no test runs it. Run: `node
// test/evals/browser-server.ts COMMAND [ARGUMENT …]`, as docs/agents.md shows.

const [command, ...args] = process.argv.slice(2)
if (command === undefined) throw new Error('node test/evals/browser-server.ts COMMAND [ARGUMENT …]')

/** The sites under addresses of this machine, which a browser reaches without names and keys. */
const pages = new Map<string, string>()
const server = createServer((request, response) => {
  const body = pages.get(request.url ?? '')
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
if (!isObject(address)) throw new Error('The server has no port')
const origin = `http://127.0.0.1:${String(address['port'])}`
const put = (web: Web): void => {
  for (const [url, body] of Object.entries(web))
    if (typeof body === 'string') pages.set(new URL(url).pathname, body)
}
put(manual())
put(news())

const variables = Object.entries(env).flatMap(([name, value]) =>
  value ? [[name, value] as const] : [],
)
const client = new Client({ name: 'browser-server', version: '1' })
await client.connect(
  new StdioClientTransport({ command, args, env: Object.fromEntries(variables), stderr: 'ignore' }),
)

const usage = { calls: 0, sent: 0, read: 0 }
async function call(name: string, input: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: input })
  const parts = Array.isArray(content) ? content.filter(isObject) : []
  const text = parts.map((part) => String(part['text'] ?? '')).join('\n')
  usage.calls += 1
  usage.sent += name.length + JSON.stringify(input).length
  usage.read += text.length
  return text
}
/** Goes to a page, and reads it where the answer has not got the snapshot in it. */
async function pageAt(path: string): Promise<string> {
  const text = await call('browser_navigate', { url: new URL(path, origin).href })
  return text.includes('[ref=') ? text : call('browser_snapshot', {})
}
/** The links of a snapshot, with their texts. */
function linksIn(snapshot: string): readonly { readonly text: string; readonly path: string }[] {
  return [...snapshot.matchAll(/link "([^"]*)"[^\n]*\n\s*- \/url: (\S+)/g)].map(
    ([, text = '', path = '']) => ({ text, path }),
  )
}

const GUIDE = '/guide/'
const TASKS: readonly {
  readonly asks: string
  readonly right: unknown
  readonly agent: () => Promise<unknown>
}[] = [
  {
    asks: 'What is the default port of the mill?',
    right: 7_411,
    agent: async () => numberIn(after(await pageAt(`${GUIDE}settings`), 'default port is')),
  },
  {
    asks: 'Which page of the guide speaks of graphite?',
    right: `${GUIDE}backup`,
    async agent() {
      const links = linksIn(await pageAt(GUIDE)).filter(({ path }) => path.startsWith(GUIDE))
      for (const { path } of links) if ((await pageAt(path)).includes('Graphite dust')) return path
      return null
    },
  },
  {
    asks: 'In which version did the lever become brass?',
    right: '1.371',
    async agent() {
      const [before, brass] = (await pageAt(`${GUIDE}history`)).split('The lever is now of brass')
      const versions = [...(before ?? '').matchAll(/Version (1\.\d+)/g)]
      return brass === undefined ? null : versions.at(-1)?.[1]
    },
  },
  {
    asks: 'How many pencils does a batch have at most?',
    right: 1_250,
    async agent() {
      const link = linksIn(await pageAt(GUIDE)).find(({ text }) => text === 'limits')
      return numberIn(after(await pageAt(link?.path ?? GUIDE), 'at most'))
    },
  },
  {
    asks: 'Who wrote the article on the new mill, and when?',
    right: ['Ida Stift', '2026-03-02'],
    async agent() {
      await pageAt('/mill')
      // The author and the date are in the head, which no snapshot has.
      const text = await call('browser_evaluate', {
        function:
          '() => [...document.querySelectorAll("meta")].map((meta) => meta.outerHTML).join(" ")',
      })
      const contentOf = (name: string) =>
        new RegExp(`${name}\\\\?" content=\\\\?"([^"\\\\]+)`).exec(text)?.[1]
      return [contentOf('author'), contentOf('published_time')?.slice(0, 10)]
    },
  },
]
for (const { asks, right, agent } of TASKS) {
  Object.assign(usage, { calls: 0, sent: 0, read: 0 })
  const answer = await agent().catch((error: unknown) => String(error))
  const isRight = JSON.stringify(answer) === JSON.stringify(right)
  console.log(
    `${isRight ? 'passed' : 'FAILED'} ${usage.calls} calls, ${tokens(usage.sent)} tokens of ` +
      `arguments, ${tokens(usage.read)} of results: ${asks}${isRight ? '' : ` ${JSON.stringify(answer)}`}`,
  )
}
await client.close()
server.close()
