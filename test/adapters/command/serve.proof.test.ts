import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireBuild } from '../../support/sources/dist.ts'
import { serveSmtp } from '../../support/fakes/smtp-server.ts'
import { makePdf } from '../../support/fakes/make-pdf.ts'
import {
  runCommand,
  startCommand,
  temporaryFolder,
  type RunningCommand,
} from '../../support/command.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeAll(() => {
  requireBuild()
  folder = temporaryFolder()
})
afterAll(() => folder.remove())

async function serving(
  ...args: string[]
): Promise<RunningCommand & { url: string; stop(): ReturnType<typeof runCommand> }> {
  const command = startCommand(['serve', '--port', '0', ...args], folder.path)
  const [, url = ''] = await command.until('stdout', /^listening (http:\/\/127\.0\.0\.1:\d+)\n/)
  const stop = () => {
    command.child.kill('SIGTERM')
    return command.ended
  }
  return { ...command, url, stop }
}

const KEY = 'svc_sk_mailed'

const tasks = async (url: string, key: string) =>
  (await fetch(`${url}/api/v1/tasks`, { headers: { authorization: `Bearer ${key}` } })).status

describe('seine serve', () => {
  test('mails events to an address once its code was given, by the server that is set', async () => {
    await using smtp = await serveSmtp()
    const { url, stop } = await serving(
      '--data',
      ':memory:',
      '--key',
      KEY,
      '--public-url',
      'https://data.example.com',
      '--mail',
      `smtp://user:pass@127.0.0.1:${smtp.port}`,
      '--mail-on-private-network',
      '--mail-from',
      'Seine <seine@example.com>',
    )
    const call = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${url}/api/v1/webhooks${path}`, {
        method,
        headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return JSON.parse(await answer.text()).data
    }
    const { id } = await call('POST', '', { url: 'mailto:ann@example.com', events: ['*'] })
    await smtp.until(1)
    const [, code] = /([2-9A-Z]{4}-[2-9A-Z]{4})/.exec(smtp.taken[0]?.text ?? '') ?? []
    expect((await call('POST', `/${id}/confirm`, { code })).enabled).toBe(true)
    await call('POST', `/${id}/test`)
    await smtp.until(2)
    expect(smtp.taken.map(({ headers }) => headers['subject'])).toEqual([
      'Seine: confirm this address',
      'Seine: A test',
    ])
    expect(smtp.taken[1]?.account).toEqual(['user', 'pass'])
    expect(smtp.taken[1]?.text).toContain('https://data.example.com/console')
    const { stdout, stderr } = await stop()
    expect(stdout + stderr).not.toContain('user:pass')
  })

  test('first prints where it listens, and prints a development key at the first start only', async () => {
    const first = await serving('--data', 'dev')
    const [, key = ''] = await first.until(
      'stdout',
      /Development key, shown this once:\n +KEY=(svc_sk_[\w-]+)\n/,
    )
    await first.until('stdout', /results\/export/)
    expect(await tasks(first.url, key)).toBe(200)
    expect(await tasks(first.url, `${key}x`)).toBe(401)
    const ended = await first.stop()
    expect(ended).toMatchObject({ code: 0, signal: null })
    expect(ended.stdout.match(/^listening /gm)).toHaveLength(1)
    expect(ended.stdout).toMatch(/^docs http:\/\/127\.0\.0\.1:\d+\/docs$/m)

    const second = await serving('--data', 'dev')
    await second.until('stdout', /results\/export/)
    expect(await tasks(second.url, key)).toBe(200)
    const { stdout } = await second.stop()
    expect(stdout).not.toContain('svc_sk_')
    // Nobody is signed in by a log. Somebody who has lost the key is told how to get another.
    expect(stdout).toMatch(
      /Keys exist already: sign in to the console with one\. To create another:\n {2}\S.* keys create --data dev\n/,
    )

    const plain = await serving('--data', 'dev', '--no-console')
    await plain.until('stdout', /results\/export/)
    const { stdout: output } = await plain.stop()
    expect(output).toMatch(/Keys exist already\. To create another:\n/)
    expect(output).not.toContain('console')
  })

  test('--key admits that key with every scope, and no other key is made', async () => {
    const command = await serving('--data', ':memory:', '--key', 'svc_sk_test', '--no-rate-limit')
    const response = await fetch(`${command.url}/api/v1/keys`, {
      headers: { 'x-api-key': 'svc_sk_test' },
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ success: true, data: { items: [], nextCursor: null } })
    expect(response.headers.get('x-ratelimit-limit')).toBeNull()
    expect(await tasks(command.url, 'svc_sk_tesT')).toBe(401)
    expect((await command.stop()).code).toBe(0)
  })

  test('links begin at --public-url, and other settings come from flags', async () => {
    const flags = '--public-url https://d.test/x --cors https://a.test --rate tasks=7/1m'.split(' ')
    const command = await serving('--data', ':memory:', '--key', 'svc_sk_test', ...flags)
    await command.until('stdout', /curl https:\/\/d\.test\/x\/api\/v1\/tasks/)
    const described = await fetch(`${command.url}/api/v1/openapi.json`)
    expect(await described.json()).toMatchObject({ servers: [{ url: 'https://d.test/x' }] })
    const headers = { 'x-api-key': 'svc_sk_test', origin: 'https://a.test' }
    const response = await fetch(`${command.url}/api/v1/tasks`, { headers })
    expect([
      response.headers.get('access-control-allow-origin'),
      response.headers.get('x-ratelimit-limit'),
    ]).toEqual(['https://a.test', '7'])
    await command.stop()
  })

  test('--metrics-port serves metrics on a port of its own, and health stays on the first', async () => {
    const flags = ['--data', ':memory:', '--key', 'svc_sk_test', '--metrics-port', '0']
    const command = await serving(...flags)
    const [, metrics = ''] = await command.until(
      'stdout',
      /^metrics (http:\/\/127\.0\.0\.1:\d+\/metrics)\n/m,
    )
    expect(await tasks(command.url, 'svc_sk_test')).toBe(200)
    const ready = await fetch(`${command.url}/readyz`)
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { ok: true, worker: { running: true } },
    ])
    const text = await (await fetch(metrics)).text()
    expect(text).toMatch(
      /http_server_request_duration_seconds_count\{[^}]*http_response_status_code="200"[^}]*\} 1\n/,
    )
    expect((await fetch(`${command.url}/metrics`)).status).toBe(404)
    expect((await command.stop()).code).toBe(0)
  })

  test('a key made while it runs works at once, with its scopes', async () => {
    const command = await serving('--data', 'shared')
    const creation = await runCommand(
      [
        'keys',
        'create',
        '--data',
        'shared',
        '--name',
        'ci',
        '--scopes',
        'tasks:read',
        '--expires',
        '30d',
      ],
      folder.path,
    )
    expect(creation.code).toBe(0)
    expect(creation.stdout).toMatch(/^svc_sk_[\w-]{43}\n$/)
    expect(creation.stderr).toMatch(/^Key "ci" with tasks:read until 2\d{3}-/)
    expect(await tasks(command.url, creation.stdout.trim())).toBe(200)
    const post = await fetch(`${command.url}/api/v1/tasks`, {
      method: 'POST',
      headers: { 'x-api-key': creation.stdout.trim(), 'content-type': 'application/json' },
      body: '{}',
    })
    expect(post.status).toBe(403)
    await command.stop()
  })

  test('waits for a running request, but not after a second signal', async () => {
    const command = await serving('--data', ':memory:', '--key', 'svc_sk_test')
    const socket = connect(Number(new URL(command.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    // A body that never ends.
    socket.write(
      'POST /api/v1/tasks HTTP/1.1\r\nHost: x\r\nX-API-Key: svc_sk_test\r\nContent-Type: application/json\r\n' +
        'Content-Length: 99\r\nExpect: 100-continue\r\n\r\n',
    )
    await once(socket, 'data')
    command.child.kill('SIGTERM')
    await command.until('stderr', /Closing; a second signal ends at once/)
    const insist = setInterval(() => command.child.kill('SIGTERM'), 50)
    expect((await command.ended).code).toBe(143)
    clearInterval(insist)
  })

  test('a port in use is reported in one line', async () => {
    const command = await serving('--data', ':memory:')
    const port = new URL(command.url).port
    const other = await runCommand(['serve', '--port', port, '--data', ':memory:'], folder.path)
    expect(other).toMatchObject({ code: 1, stdout: '' })
    expect(other.stderr).toContain(
      `seine: 127.0.0.1:${port} is in use; choose another port with --port`,
    )
    await command.stop()
  })

  test('--search-url searches with an allowed instance on this machine, and PDFs of the site are read', async () => {
    const site = createServer(({ url = '' }, response) => {
      if (url.startsWith('/robots')) return void response.end()
      response.setHeader(
        'content-type',
        url.startsWith('/search') ? 'application/json' : 'application/pdf',
      )
      response.end(
        url.startsWith('/search')
          ? JSON.stringify({
              results: [
                {
                  title: 'On pens',
                  url: `http://127.0.0.1:${port}/pens.pdf`,
                  content: 'All of it.',
                },
              ],
            })
          : makePdf([['A pen holds its ink in the barrel.']]),
      )
    }).listen(0, '127.0.0.1')
    await once(site, 'listening')
    const address = site.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const searchFlags = ['--search-url', `http://127.0.0.1:${port}`]
    const refused = await runCommand(
      ['serve', '--port', '0', '--data', ':memory:', ...searchFlags],
      folder.path,
    )
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('add --search-on-private-network')
    const command = await serving(
      '--data',
      ':memory:',
      '--key',
      'svc_sk_test',
      '--allow-private-network',
      '--search-on-private-network',
      ...searchFlags,
    )
    const ask = async (name: string, args: object) => {
      const sent = await fetch(`${command.url}/mcp`, {
        method: 'POST',
        headers: {
          'x-api-key': 'svc_sk_test',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
      })
      return sent.text()
    }
    const text = await ask('search', { query: 'pens' })
    expect(JSON.parse(text)).toMatchObject({
      result: { structuredContent: { results: [{ title: 'On pens' }] } },
    })
    expect(await ask('fetch', { id: `http://127.0.0.1:${port}/pens.pdf` })).toContain(
      'A pen holds its ink in the barrel.',
    )
    await command.stop()
    site.close()
  })

  test.for([
    [['serve', '--key', 'sk_other'], '--key must be an API key'],
    [['serve', '--port', '70000'], '--port must be a whole number from 0 to 65535, not 70000'],
    [['serve', '--prot', '1'], 'seine serve has no flag --prot; did you mean --port?'],
    [['keys', 'creat'], 'seine keys has no creat; did you mean create?'],
    [
      ['keys', 'create', '--expires', 'soon'],
      '--expires must be a time such as 45m, 12h, 30d or 2w, not "soon"',
    ],
    [['keys', 'create', '--data', ':memory:'], '--data :memory: keeps nothing'],
    [['initt'], 'seine has no command "initt"; did you mean init?'],
    [['frobnicate'], 'seine has no command "frobnicate"; known: extract, serve, mcp'],
  ] as const)('%j is refused as wrong use', async ([args, message]) => {
    const ended = await runCommand(args, folder.path)
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain(message)
    expect(ended.stderr).not.toContain('    at ')
  })

  test('an unknown scope is named', async () => {
    const ended = await runCommand(
      ['keys', 'create', '--scopes', 'tasks:read,tasks:fly', '--data', 'scopes'],
      folder.path,
    )
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain('--scopes: tasks:fly is not a known scope; known: ')
  })

  test.for([['--help'], ['serve', '--help'], ['extract', '--help'], ['keys', '--help'], []])(
    '%j prints the help',
    async (args) => {
      const ended = await runCommand(args, folder.path)
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      expect(ended.stdout).toContain('seine ')
    },
  )

  test('--version prints the version of the package', async () => {
    const manifest: { version: string } = (
      await import('../../../package.json', { with: { type: 'json' } })
    ).default
    expect((await runCommand(['--version'], folder.path)).stdout).toBe(`${manifest.version}\n`)
  })
})
