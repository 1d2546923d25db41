import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HELP } from '../../../adapters/command/help.ts'
import { ACTIONS } from '../../../adapters/command/api/actions.ts'
import type { Shop } from '../../../examples/demo/shop.ts'
import {
  runCommand,
  startCommand,
  temporaryFolder,
  type RunningCommand,
} from '../../support/command.ts'
import { freePort } from '../../support/free-port.ts'
import { serveHttp } from '../../support/loopback.ts'
import { requireBuild } from '../../support/sources/dist.ts'
import { startDocsSite } from '../../support/worlds/docs-site.ts'

// Proves that the command does what the API does, on local data and on a remote server.

const KEY = 'svc_sk_api_commands_0123456789'
let folder: ReturnType<typeof temporaryFolder>
let site: Shop
beforeAll(async () => {
  requireBuild()
  folder = temporaryFolder()
  site = await startDocsSite()
})
/** A test that fails does not end its server. */
const servers: RunningCommand[] = []
afterAll(async () => {
  for (const { child } of servers) child.kill('SIGKILL')
  await site.close()
  folder.remove()
})

/** The flags that name where the data is, and its variables. */
interface Place {
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

async function seine(place: Place, ...args: string[]) {
  return runCommand([...args, ...place.flags], folder.path, place.env)
}

/** The values that a program reads: one JSON value a line. */
async function read(place: Place, ...args: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await seine(place, ...args, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line))
}

async function serving(data: string) {
  const server = startCommand(
    ['serve', '--port', '0', '--data', data, '--key', KEY, '--allow-private-network'],
    folder.path,
  )
  servers.push(server)
  const [, url = ''] = await server.until('stdout', /^listening (\S+)\n/)
  return { ...server, url }
}

/** From a recipe in a file to its rows in a file. */
async function story(place: Place, name: string): Promise<void> {
  writeFileSync(
    join(folder.path, 'recipe.json'),
    JSON.stringify({
      start: { urls: [site.url] },
      extract: { items: 'a', fields: { text: { css: ':scope' } } },
    }),
  )
  const [task] = await read(place, 'tasks', 'create', 'recipe.json', '--name', name)
  const id = String(task?.['id'])
  const [preview] = await read(place, 'preview', 'recipe.json')
  expect(preview).toMatchObject({ pages: [{ outcome: 'fetched' }] })
  expect((await read(place, 'estimate', 'recipe.json'))[0]).toHaveProperty('credits')
  const [started] = await read(place, 'runs', 'start', id)
  const run = String(started?.['id'])
  await expect
    .poll(async () => (await read(place, 'runs', '--task', id))[0]?.['status'], { timeout: 30_000 })
    .toBe('succeeded')
  expect((await seine(place, 'pages', run)).stdout).toMatch(/^outcome .*\n─.*\nfetched /)
  const rows = await read(place, 'rows', run, '--limit', '150')
  expect(rows.length).toBeGreaterThan(3)
  const exported = await seine(place, 'export', run, '--out', `${name}.csv`)
  expect(exported).toMatchObject({ code: 0, stderr: `Written to ${name}.csv\n` })
  const csv = readFileSync(join(folder.path, `${name}.csv`), 'utf8')
  expect(csv.trim().split(/\r?\n/)).toHaveLength(rows.length + 1)
  const piped = await seine(place, 'export', run, '--out', '-', '--format', 'csv')
  expect(piped.stdout).toBe(csv)

  expect(
    (await seine(place, 'schedule', 'set', id, '0 6 * * 1-5', '--time-zone', 'Europe/Berlin'))
      .stdout,
  ).toContain('0 6 * * 1-5')
  expect((await seine(place, 'schedule', 'remove', id)).code).toBe(0)
  expect((await seine(place, 'tasks', 'export', '--out', 'tasks.json')).code).toBe(0)
  const renewed = await seine(place, 'tasks', 'import', 'tasks.json', '--by', 'id')
  expect([renewed.code, renewed.stdout]).toEqual([0, expect.stringContaining(name)])
  expect((await seine(place, 'tasks', 'delete', id)).code).toBe(0)
  expect((await seine(place, 'tasks', 'import', 'tasks.json')).stdout).toContain(name)
  expect((await seine(place, 'usage')).stdout).toContain('"spendable"')

  const pens = `${site.url}/category/pens`
  const extracted = await seine(place, 'extract', pens, '--json', '--allow-private-network')
  expect([extracted.code, extracted.stdout.trim().split('\n')]).toEqual([0, expect.any(Array)])
  // Each run makes a task, so their names must differ for an import.
  expect((await seine(place, 'extract', pens, '--json', '--allow-private-network')).code).toBe(0)
  expect((await seine(place, 'tasks', 'export', '--out', 'tasks.json')).code).toBe(0)
  const imported = await seine(place, 'tasks', 'import', 'tasks.json')
  expect([imported.code, imported.stdout]).toEqual([0, expect.not.stringContaining('refused"')])
  const [, extraction = ''] = /^Kept: seine rows (exec_\w+)/m.exec(extracted.stderr) ?? []
  expect((await seine(place, 'rows', extraction, '--json', '--limit', '100')).stdout).toBe(
    extracted.stdout,
  )
  const again = await seine(place, 'extract', '--resume', extraction, '--out', `${name}-pens.jsonl`)
  expect(again.code).toBe(0)
  expect(readFileSync(join(folder.path, `${name}-pens.jsonl`), 'utf8')).toBe(extracted.stdout)
}

describe('the same commands', () => {
  test('work on a remote server, with a key of its own', async () => {
    const server = await serving('elsewhere')
    const place = { flags: ['--url', server.url], env: { SEINE_KEY: KEY } }
    const { stdout } = await seine(place, 'keys', 'create', '--name', 'ci', '--expires', '30d')
    const own = { flags: [], env: { SEINE_URL: server.url, SEINE_KEY: stdout.trim() } }
    await story(own, 'remote')
    const [key] = await read(place, 'keys')
    expect(key).toMatchObject({ name: 'ci' })
    expect((await seine(place, 'keys', 'revoke', String(key?.['id']))).code).toBe(0)
    for (const command of [['runs'], ['extract', `${site.url}/`, '--allow-private-network']]) {
      const { code, stderr } = await seine(own, ...command)
      expect([code, stderr]).toEqual([1, expect.stringContaining('Set SEINE_KEY to one of')])
    }
    writeFileSync(join(folder.path, 'key'), `${KEY}\n`)
    const byFile = { flags: [], env: { SEINE_URL: server.url, SEINE_KEY_FILE: 'key' } }
    expect((await seine(byFile, 'runs')).code).toBe(0)
    for (const wrong of [
      ['--data', 'here'],
      ['--browser', '/usr/bin/chromium'],
    ])
      expect((await seine(own, 'extract', site.url, ...wrong)).code).toBe(2)
    const nobody = {
      flags: ['--url', `http://127.0.0.1:${await freePort()}`],
      env: { SEINE_KEY: KEY },
    }
    const away = await seine(nobody, 'extract', '--resume', 'exec_1')
    expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')])
    server.child.kill('SIGTERM')
    await server.ended
  })

  test('say that a run waits where no worker runs, on local data', async () => {
    const place = { flags: ['--data', 'idle dir'], env: {} }
    writeFileSync(
      join(folder.path, 'idle.json'),
      JSON.stringify({
        start: { urls: ['https://shop.example.com/'] },
        extract: { fields: { h: 'h1' } },
      }),
    )
    const [task] = await read(place, 'tasks', 'create', 'idle.json')
    expect((await seine(place, 'runs')).stderr).toBe('There are none.\n')
    const hint = "A run waits. If no worker runs, seine serve --data 'idle dir' works on it\n"
    for (const line of [['runs', 'start', String(task?.['id'])], ['runs'], ['tasks']])
      expect(await seine(place, ...line)).toMatchObject({ code: 0, stderr: hint })
    // Neither commands that have nothing to do with runs, nor programs.
    expect((await seine(place, 'keys')).stderr).toBe('There are none.\n')
    expect(await read(place, 'runs')).toHaveLength(1)
  })

  test('work on local data, while a server works on it', async () => {
    const server = await serving('here')
    await story({ flags: ['--data', 'here'], env: { SEINE_ALLOW_PRIVATE_NETWORK: '1' } }, 'local')
    server.child.kill('SIGTERM')
    await server.ended
    for (const [line, way] of [
      ['pages exec_nothing', 'seine runs list shows all'],
      ['tasks show task_nothing', 'seine tasks list shows all'],
      ['templates show links', 'seine templates list shows all'],
      ['templates show artcle', 'seine: Template not found; did you mean article?\nseine templ'],
      ['schedule show task_nothing', 'seine tasks list shows all'],
      ['tasks create recipe.json', '--allow-private-network'],
      [
        'tasks --status activ',
        'seine: --status: must be "active", "paused" or "archived"; did you',
      ],
      [
        'keys create --scopes taks:read',
        'seine: --scopes: taks:read is not a known scope; did you mean',
      ],
      ['schedule set task_nothing weekly', 'seine: CRON: must have five parts'],
      ['schedule set task_nothing @daily --time-zone Mars', 'seine: --time-zone: '],
      ['export exec_nothing --out none/rows.csv', 'there is no folder none'],
    ] as const)
      expect(await seine({ flags: ['--data', 'here'], env: {} }, ...line.split(' '))).toMatchObject(
        {
          code: /^seine .* all$|^seine: Template/.test(way) ? 1 : 2,
          stderr: expect.stringContaining(way),
        },
      )
    const refused = await seine(
      { flags: ['--data', 'here', '--account', 'third'], env: {} },
      'tasks',
      'import',
      'tasks.json',
    )
    expect([refused.code, refused.stderr]).toEqual([1, 'seine: 3 of them refused\n'])
    const other = { flags: ['--data', 'here', '--account', 'other'], env: {} }
    expect(await seine(other, 'tasks')).toMatchObject({ code: 0, stderr: 'There are none.\n' })
  })
})

describe('an operator at a terminal', () => {
  /** From a new customer to a suspended one. */
  async function expectOperator(place: Place): Promise<void> {
    const because = ['--reason', 'Unpaid since May']
    const creation = await seine(
      place,
      'accounts',
      'create-key',
      'acme',
      '--name',
      'first',
      ...because,
    )
    expect(creation.stdout).toMatch(/^svc_sk_\S+\n$/)
    const adjusted = await read(place, 'accounts', 'adjust', 'acme', '--give', '50', ...because)
    expect(adjusted).toMatchObject([{ kind: 'adjust', moves: { wallet: 50 } }])
    expect(
      await read(place, 'accounts', 'adjust', 'acme', '--take', '20', ...because),
    ).toMatchObject([{ moves: { wallet: -20 } }])
    expect(await read(place, 'accounts', 'show', 'acme')).toMatchObject([
      { id: 'acme', state: 'active', wallet: 30 },
    ])
    expect((await seine(place, 'accounts', 'suspend', 'acme', ...because)).stdout).toContain(
      'suspended',
    )
    expect(await read(place, 'accounts', '--state', 'suspended')).toMatchObject([{ id: 'acme' }])
    expect((await seine(place, 'accounts', 'resume', 'acme', ...because)).code).toBe(0)
    const [key] = await read(place, 'accounts', 'keys', 'acme')
    const id = String(key?.['id'])
    expect((await seine(place, 'accounts', 'revoke-key', 'acme', id, ...because)).code).toBe(0)
    expect(await read(place, 'operator', 'health')).toMatchObject([{ ok: true }])
    expect((await seine(place, 'operator', 'stuck')).stderr).toBe('There are none.\n')
    expect((await read(place, 'operator', 'log')).map(({ operation }) => operation)).toEqual([
      'operator.revokeKey',
      'operator.resume',
      'operator.suspend',
      'operator.adjust',
      'operator.adjust',
      'operator.createKey',
    ])
  }

  /** The commands that go through all the data, at the server and beside it: both say the same. */
  async function expectUpkeep(server: Place, here: Place): Promise<void> {
    const [there, beside] = [await seine(server, 'verify'), await seine(here, 'verify')]
    expect([there.code, there.stderr]).toEqual([0, ''])
    const areas = (text: string) => text.match(/^\w+ +(?=\d+ +0$)/gm)?.length
    expect(areas(there.stdout)).toBe(7)
    expect(areas(there.stdout)).toBe(areas(beside.stdout))
    expect(there.stdout).toMatch(/^Accounts: \d+\. Everything agrees\.$/m)
    const report = await seine(server, 'verify', '--account', 'acme', '--json')
    expect(JSON.parse(report.stdout)).toMatchObject({
      ok: true,
      accounts: 1,
      differences: [],
      more: 0,
    })
    expect((await seine(server, 'verify', '--repair')).code).toBe(2)
    const unknown = await seine(server, 'verify', '--account', 'nobody')
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringMatching(/not found\nseine acc/),
    ])

    const because = ['--reason', 'Asked for']
    expect((await seine(server, 'erase', 'acme', '--yes')).stderr).toContain('--reason says why')
    const early = await seine(server, 'erase', 'acme', '--yes', ...because)
    expect([early.code, early.stderr]).toEqual([
      1,
      expect.stringMatching(/Close the account .*\nseine accounts close acme --reason/),
    ])
    expect((await seine(server, 'accounts', 'close', 'acme', ...because)).code).toBe(0)
    expect((await seine(server, 'erase', 'acme', ...because)).stderr).toContain('Add --yes')
    const erased = await seine(server, 'erase', 'acme', '--yes', ...because)
    expect(erased).toMatchObject({ code: 0, stderr: '' })
    expect(erased.stdout).toMatch(/^[1-9]\d* records and \d+ blobs? of acme are erased\n$/)
    const [act] = await read(server, 'operator', 'log')
    expect(act).toMatchObject({ operation: 'operator.erase', account: 'acme', reason: 'Asked for' })
    expect((await seine(here, 'erase', 'acme', '--yes', ...because)).stderr).toContain(
      '--reason is for a server',
    )

    const seen = await seine(server, 'doctor')
    expect([seen.code, seen.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^node .*\nserver +ok .* answers in \d+ ms\nkey +ok +of account default, with operator\nready +ok +store and blobs answer\n/,
      ),
    ])
  }

  test('works on local data', async () => {
    await expectOperator({ flags: ['--data', 'operated'], env: {} })
  })

  test('works on a remote server with a key that has the scope, and with no other key', async () => {
    const server = await serving('operated-elsewhere')
    const here = { flags: ['--data', 'operated-elsewhere'], env: {} }
    const { stdout } = await seine(here, 'keys', 'create', '--scopes', 'operator')
    const place = (key: string) => ({ flags: ['--url', server.url], env: { SEINE_KEY: key } })
    await expectOperator(place(stdout.trim()))
    const elsewhere = place(stdout.trim())
    await expectUpkeep(elsewhere, here)
    const refused = await seine(place(KEY), 'accounts')
    const unverified = await seine(place(KEY), 'verify')
    for (const { code, stderr } of [refused, unverified])
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(
          'This needs the scope operator\nOn the data of the server, seine keys',
        ),
      ])
    expect(await seine(place('svc_sk_wrong'), 'doctor')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^key +wrong +The server does not take this key/m),
    })
    for (const [command, reason] of [
      ['backup', 'the secrets of all accounts'],
      ['restore', 'not replaced while it runs'],
    ] as const) {
      const onServer = await seine(elsewhere, command, 'file.tar')
      expect([onServer.code, onServer.stderr]).toEqual([2, expect.stringContaining(reason)])
    }
    server.child.kill('SIGTERM')
    await server.ended
  })
})

test('each action is an operation, and each of its flags is a parameter of that operation', async () => {
  const server = await serving(':memory:')
  const response = await fetch(`${server.url}/api/v1/openapi.json`)
  const {
    paths,
  }: {
    paths: Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>
  } = await response.json()
  server.child.kill('SIGTERM')
  await server.ended
  for (const { actions } of Object.values(ACTIONS))
    for (const { method, path, query = {} } of actions) {
      const place = Object.keys(paths).find(
        (template) =>
          template.replaceAll(/\{\w+\}/g, '{}') === `/api/v1${path.replaceAll(/:\d/g, '{}')}`,
      )
      const operation = paths[place ?? '']?.[method.toLowerCase()]
      expect(operation, `${method} ${path}`).toBeDefined()
      const names = operation?.parameters
        ?.filter((one) => one.in === 'query')
        .map(({ name }) => name)
      for (const name of Object.keys(query))
        expect(names, `${method} ${path}`).toContain(name === 'task' ? 'taskId' : name)
    }
})

test('each command is in the help, and has a help of its own', async () => {
  for (const [command, { actions }] of Object.entries(ACTIONS)) {
    expect(HELP).toContain(`seine ${command} `)
    const { code, stdout } = await runCommand(['help', command], folder.path)
    expect(code).toBe(0)
    for (const { verb, takes } of actions)
      expect(stdout).toContain(
        [`seine ${command}`, ...(actions.length > 1 ? [verb] : []), ...takes].join(' '),
      )
    expect(stdout.split('\n').filter((line) => line.length > 110)).toEqual([])
  }
})

test.for<readonly [args: readonly string[], env: Record<string, string>, message: string]>([
  [['accounts', 'suspend', 'acme'], {}, '--reason says why'],
  [['accounts', 'adjust', 'acme', '--reason', 'x'], {}, '--give <n> or --take <n>'],
  [
    ['accounts', 'adjust', 'acme', '--reason', 'x', '--give', '1', '--take', '1'],
    {},
    '--give <n> or --take <n>',
  ],
  [['accounts', 'show', 'nobody'], {}, 'Account not found'],
  [['run'], {}, 'seine has no command "run"; did you mean runs?'],
  [['runs', 'shwo'], {}, 'seine runs has no shwo; did you mean show?'],
  [['runs', 'show'], {}, 'Usage: seine runs show RUN'],
  [['preview'], {}, 'Usage: seine preview FILE (seine preview --help)'],
  [['runs', '--statsu', 'x'], {}, 'has no flag --statsu; did you mean --status?'],
  [['runs', '--limit', '0'], {}, '--limit must be a whole number from 1, not "0"'],
  [['runs', 'show', 'exec_x'], {}, 'Execution not found'],
  [['runs', 'retry', 'exec_x', '--only', 'some'], {}, '--only: must be "failed"'],
  [['runs', 'retry', 'exec_x', '--only', 'failed'], {}, 'Execution not found'],
  [['runs', '--status', 'gone'], {}, 'status'],
  [['export', 'exec_x'], {}, '--out says where the file goes'],
  [['tasks', 'create', 'none.json'], {}, 'none.json cannot be read (ENOENT)'],
  [['runs', '--url', 'here'], {}, '--url must be that of a server'],
  [['runs', '--url', 'https://x.test'], {}, 'set SEINE_KEY'],
  [
    ['runs', '--url', 'https://x.test', '--data', 'd'],
    { SEINE_KEY: KEY },
    '--data is for data here',
  ],
  [['runs', '--url', 'http://127.0.0.1:1'], { SEINE_KEY: KEY }, 'does not answer'],
  [['runs', '--key', KEY], {}, '--key is for a server'],
  [['verify', '--key', KEY], {}, '--key is for a server'],
  [['verify', '--url', 'http://127.0.0.1:1'], { SEINE_KEY: KEY }, 'does not answer'],
  [
    ['verify', '--url', 'https://x.test', '--data', 'd'],
    { SEINE_KEY: KEY },
    '--data is for data here',
  ],
  [['erase', 'acme', '--yes', '--url', 'https://x.test'], {}, 'set SEINE_KEY'],
  [
    ['doctor', 'https://a.example', '--url', 'https://x.test'],
    { SEINE_KEY: KEY },
    'only the server is checked',
  ],
  [
    ['doctor', '--url', 'https://x.test', '--data', 'd'],
    { SEINE_KEY: KEY },
    '--data is for data here',
  ],
])('%j with %j is refused', async ([args, env, message]) => {
  const { code, stdout, stderr } = await runCommand(args, folder.path, env)
  expect([code === 0, stdout]).toEqual([false, ''])
  expect(stderr).toContain(message)
})

test('extract says that a server refuses, and each command when it takes another try', async () => {
  const message = 'The host of this URL is not on the public internet.'
  const issues = [{ path: 'recipe.start.urls.0', message }]
  await using server = await serveHttp(({ method }, response) => {
    response.setHeader('content-type', 'application/json')
    if (method === 'POST') {
      response.statusCode = 400
      response.end(JSON.stringify({ error: { code: 'BAD_REQUEST', message, issues } }))
      return
    }
    // Longer than the client waits by itself.
    response.writeHead(429, { 'retry-after': '300' })
    response.end(JSON.stringify({ error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many' } }))
  })
  const line = ['--url', server.origin, '--key', KEY]
  const page = 'http://127.0.0.1:1/'
  const recipe = ['--field', 'a=h1', '--no-detect']
  expect(await runCommand(['extract', page, ...recipe, ...line], folder.path)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      `^seine: The server refuses this. ${page}: ${message}\nIts operator can`,
    ),
  })
  const here = await runCommand(['extract', page, ...line], folder.path)
  expect([here.code, here.stderr]).toEqual([
    2,
    expect.stringMatching(/--allow-private-network\nThis machine has refused it, .*\n$/),
  ])
  for (const args of [['runs'], ['extract', '--resume', 'exec_1']])
    expect(await runCommand([...args, ...line], folder.path)).toMatchObject({
      code: 1,
      stderr: 'seine: Too many\nTry again in 300 s\n',
    })
})
