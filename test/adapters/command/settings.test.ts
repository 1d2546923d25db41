import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ACTIONS } from '../../../adapters/command/api/actions.ts'
import { configSchema } from '../../../adapters/command/config.ts'
import { parseExtract } from '../../../adapters/command/extract-flags.ts'
import {
  createOrExplain,
  checkBrowser,
  checkSettings,
  platformOptions,
  proxiesOf,
} from '../../../adapters/command/platform-options.ts'
import { serveHelp, settingsHelp } from '../../../adapters/command/settings/help.ts'
import { usingSettings } from '../../../adapters/command/settings/in-terms-of.ts'
import { readFlags, readSettings } from '../../../adapters/command/settings/read-settings.ts'
import { SETTING_NAMES, keyOf, variableOf } from '../../../adapters/command/settings/table.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { shown } from '../../../adapters/command/config.ts'
import { failingCases } from '../../support/failing-cases.ts'

// Proves that flags come before variables and variables before a file, and that every error is
// reported.

const folder = mkdtempSync(join(tmpdir(), 'seine-settings-'))
const silent = { debug() {}, info() {}, warn() {}, error() {} }
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

async function read(flags: string, env: Record<string, string> = {}, file: object | null = null) {
  const name = `${files++}.json`
  if (file) writeFileSync(join(folder, name), JSON.stringify(file))
  const args = flags === '' ? [] : flags.split(' ')
  return readSettings({ ...readFlags('serve', args), ...(file && { config: name }) }, env, folder)
}

/** The settings from which a server would be made. */
async function optionsOf(flags: string, env: Record<string, string> = {}) {
  const { settings } = await read(flags, env)
  return { ...(await platformOptions(settings)), proxies: proxiesOf(settings) }
}

test.for<readonly [flags: string, settings: object]>([
  ['', {}],
  [
    '--port 0 --host ::1 --data d --key svc_sk_x',
    { port: 0, host: '::1', data: 'd', key: 'svc_sk_x' },
  ],
  ['--trust-proxy 2', { trustProxy: 2 }],
  ['--trust-proxy 10.0.0.0/8,::1', { trustProxy: ['10.0.0.0/8', '::1'] }],
  ['--cors *', { cors: '*' }],
  ['--no-worker --no-console --no-rate-limit', { worker: false, console: false, rateLimit: false }],
  ['--rate tasks=120/60s --rate mcp=off', { rate: { tasks: '120/60s', mcp: 'off' } }],
  [
    '--store postgres://u:p@h/db --blobs s3://b/p?region=r',
    { store: 'postgres://u:p@h/db', blobs: 's3://b/p?region=r' },
  ],
  ['--metrics-port 9464 --durability full', { metricsPort: 9464, durability: 'full' }],
])('%s', async ([flags, settings]) => {
  expect((await read(flags)).settings).toEqual(settings)
})

test.for<readonly [flags: string, options: object]>([
  ['--public-url https://d.test/x', { publicUrl: 'https://d.test/x' }],
  [
    '--trust-proxy 1 --proxy-header forwarded',
    { proxies: { trustProxy: 1, proxyHeader: 'forwarded' } },
  ],
  [
    '--cors https://a.test,http://localhost:5173',
    {
      cors: { origins: ['https://a.test', 'http://localhost:5173'] },
      mcp: { origins: ['https://a.test', 'http://localhost:5173'] },
    },
  ],
  [
    '--rate tasks=120/60s --rate mcp=off --rate billing=1/2h',
    {
      rateLimits: {
        tasks: { limit: 120, periodMs: 60_000, burst: 119 },
        mcp: false,
        billing: { limit: 1, periodMs: 7_200_000, burst: 0 },
      },
    },
  ],
  ['--no-rate-limit --allow-private-network', { rateLimits: false, allowPrivateNetwork: true }],
  ['--mcp-tools extended', { mcp: { tools: 'extended' } }],
  [
    '--mcp-tools fetch,extract --mcp-confirm-above 100 --cors https://a.test',
    { mcp: { tools: ['fetch', 'extract'], confirmAbove: 100, origins: ['https://a.test'] } },
  ],
  ['--worker-concurrency 9 --worker-share 3', { worker: { concurrency: 9, share: 3 } }],
  ['--search-url https://s.test', { search: { create: expect.any(Function) } }],
  ['--model-url https://m.test/v1 --model m', { model: { create: expect.any(Function) } }],
  ['--mail smtp://u:p@m.test:25 --mail-from a@b.test', { mail: { send: expect.any(Function) } }],
  ['--browser /usr/bin/chromium', { browser: { render: expect.any(Function) } }],
])('%s is an option of the platform', async ([flags, options]) => {
  expect(await optionsOf(flags)).toMatchObject(options)
})

test.for<readonly [flags: string, env: Record<string, string>, file: object]>([
  ['--jwt-issuer https://i.test,b=https://j.test/x --jwt-audience me', {}, {}],
  ['--jwt-issuer https://i.test --jwt-issuer b=https://j.test/x --jwt-audience me', {}, {}],
  ['', { SEINE_JWT_ISSUER: 'https://i.test,b=https://j.test/x', SEINE_JWT_AUDIENCE: 'me' }, {}],
  ['', {}, { jwtIssuer: ['https://i.test', 'b=https://j.test/x'], jwtAudience: ['me'] }],
])('two issuers by %j, %j or %j', async ([flags, env, file]) => {
  const { settings } = await read(flags, env, file)
  expect([settings.jwtIssuer, settings.jwtAudience]).toEqual([
    ['https://i.test', 'b=https://j.test/x'],
    ['me'],
  ])
  const { authenticators } = await platformOptions(settings)
  expect(authenticators).toHaveLength(2)
})

test('a flag overrides its variable, and the variable overrides the file', async () => {
  const file = { $schema: 'x', port: 1, host: 'file.test', data: '/file' }
  const { settings, sources } = await read(
    '--port 3',
    { SEINE_PORT: '2', SEINE_HOST: 'env.test' },
    file,
  )
  expect(settings).toEqual({ port: 3, host: 'env.test', data: '/file' })
  expect(sources.map(({ name, from }) => `${name} ${from.replace(/\d+\.json/, 'file')}`)).toEqual([
    'port --port',
    'host SEINE_HOST',
    'data data in file',
  ])
  expect((await read('', { SEINE_PUBLIC_URL: '', SEINE_KEY: '' })).sources).toEqual([])
})

test('each setting has a variable and a key, and the help lists all of them', async () => {
  const lines = settingsHelp()
  for (const name of SETTING_NAMES) {
    expect(lines).toContain(`  ${keyOf(name)} ${variableOf(name)}`)
    expect(serveHelp()).toMatch(new RegExp(`--(no-)?${name}\\b`))
  }
  expect(Object.keys(JSON.parse(JSON.stringify(configSchema())).properties)).toEqual([
    '$schema',
    ...SETTING_NAMES.map(keyOf),
  ])
  expect(`${serveHelp()}${lines}`.split('\n').filter((line) => line.length > 110)).toEqual([])
})

describe('a secret', () => {
  test('may be in a file', async () => {
    writeFileSync(join(folder, 'secret'), 'svc_sk_file\n')
    const { settings, sources } = await read('', { SEINE_KEY_FILE: 'secret' })
    expect([settings.key, sources[0]?.from]).toEqual(['svc_sk_file', 'SEINE_KEY_FILE'])
  })

  test('must be set in one place only, and on one line', async () => {
    writeFileSync(join(folder, 'two'), 'a\nb\n')
    await expect(read('', { SEINE_KEY: 'a', SEINE_KEY_FILE: 'b' })).rejects.toThrow('choose one')
    await expect(read('', { SEINE_KEY_FILE: 'absent' })).rejects.toThrow('cannot be read (ENOENT)')
    await expect(read('', { SEINE_KEY_FILE: 'two' })).rejects.toThrow('one line')
  })

  test('appears in no message', async () => {
    const error = await read('', {}, { key: ['svc_sk_hidden'], store: 'mysql://u:hidden@h' }).catch(
      String,
    )
    expect(error).toMatch(/key in \d+\.json must be|store in \d+\.json must be memory, sqlite:/)
    expect(error).not.toContain('hidden')
  })
})

test.for<readonly [flags: string, message: string]>([
  ['--prot 1', 'seine serve has no flag --prot; did you mean --port?'],
  ['--port x', '--port must be a whole number from 0 to 65535, not "x"'],
  ['--durability safe', '--durability must be normal or full, not "safe"'],
  ['--log-format jsno', '--log-format must be text or json, not "jsno"; did you mean json?'],
  ['--log-requests erors', 'such as 1/100, not "erors"; did you mean errors?'],
  ['--store postgre://h/db', 'or rediss:…; did you mean postgres?'],
  ['--public-url data.test', '--public-url must be a URL'],
  ['--public-url https://d.test/?a', '--public-url must be a URL'],
  ['--proxy-header forwarded', '--proxy-header needs --trust-proxy'],
  ['--trust-proxy 1 --proxy-header via', '--proxy-header must be'],
  ['--trust-proxy 101', '--trust-proxy must be'],
  ['--cors app.test', '--cors must be * or origins'],
  ['--cors https://a.test/x', '--cors must be * or origins'],
  ['--jwt-issuer https://i.test', '--jwt-issuer needs --jwt-audience'],
  ['--jwt-audience me', '--jwt-audience needs --jwt-issuer'],
  ['--jwt-issuer i.test --jwt-audience me', '--jwt-issuer must be a URL such as'],
  ['--jwt-issuer A=https://i.test --jwt-audience me', 'a name of small letters, digits and -'],
  [
    '--jwt-issuer https://i.test --jwt-issuer https://j.test --jwt-audience me',
    'only one of several issuers may have no name',
  ],
  [
    '--jwt-issuer a=https://i.test,a=https://j.test --jwt-audience me',
    '--jwt-issuer has two issuers with the name a',
  ],
  [
    '--jwt-issuer a=https://i.test,https://i.test --jwt-audience me',
    '--jwt-issuer names https://i.test twice',
  ],
  ['--rate tasks=0/60s', '--rate, tasks must be a rate such as 120/60s, or off, not "0/60s"'],
  ['--rate task=1/60s', '--rate, task is not a service; the services are tasks, analytics'],
  ['--rate task=1/60s', 'authentication, not "task"; did you mean tasks?'],
  ['--rate tasks=120', '--rate, tasks must be a rate'],
  ['--rate tasks', '--rate must be rates such as tasks=120/60s'],
  ['--rate mcp=off --no-rate-limit', 'leave it out, or --rate'],
  ['--mail-from a@b.test', '--mail-from needs --mail'],
  ['--mail smtp://h.test', '--mail needs --mail-from'],
  ['--mail http://h.test --mail-from a@b.test', '--mail must be smtp:… or smtps:…'],
  ['--mail smtp:h --mail-from a@b.test', '--mail must be smtp://USER:PASSWORD@HOST:PORT'],
  ['--mail smtp://u:%zz@h.test --mail-from a@b.test', '--mail: special characters of user and'],
  ['--mail smtp://h.test --mail-from a', '--mail-from must be an address such as'],
  ['--store mysql://h', '--store must be memory, sqlite:…'],
  ['--model gpt', 'need --model-url and --model'],
])('%s is refused', async ([flags, message]) => {
  await expect(optionsOf(flags)).rejects.toThrow(message)
})

test.for<readonly [env: Record<string, string>, file: object, message: string]>([
  [{ SEINE_RATE_LIMIT: 'yes' }, {}, 'SEINE_RATE_LIMIT must be true or false, not "yes"'],
  [{ SEINE_PROT: '1' }, {}, 'There is no setting SEINE_PROT; did you mean SEINE_PORT?'],
  [{}, { prot: 1 }, 'there is no setting prot; did you mean port?'],
  [{}, { port: '1' }, 'must be a whole number from 0 to 65535, not "1"'],
  [{}, { cors: [] }, 'must be * or origins'],
  [{}, { jwtAudience: 'me' }, '.json must be a list of texts, such as'],
  [{}, { jwtAudience: [1] }, 'must be a list of texts'],
  [{}, { plans: [] }, 'must be a list of plans'],
  [{}, { mcpTools: [] }, 'must be extended, or names of tools'],
  [{ SEINE_MCP_CONFIRM_ABOVE: '-1' }, {}, 'SEINE_MCP_CONFIRM_ABOVE must be a whole number from 0'],
])('%j and a file of %j are refused', async ([env, file, message]) => {
  await expect(read('', env, file)).rejects.toThrow(message)
})

test('a value of another type than its setting takes is refused in plain words', async () => {
  const refused = SETTING_NAMES.flatMap((name) =>
    [5, true, null, 'x y', [], [5], {}, { x: 1 }].map((value) => ({ [keyOf(name)]: value })),
  )
  for (const file of refused) {
    const message = await read('', {}, file).then(() => 'taken', String)
    expect(message).toMatch(/^taken$|^CommandError: \w+ in \d+\.json/)
    expect(message).not.toMatch(/Invalid|Expected/)
  }
})

test('settings that do not go together are reported at once, each in its own terms', async () => {
  const fromAll = await read(
    '--store postgres://h/db',
    { SEINE_JWT_ISSUER: 'https://i.test', SEINE_BROWSER: '/none' },
    { proxyHeader: 'forwarded', model: 'm' },
  )
  const error = await usingSettings(fromAll, checkSettings).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ exitCode: 2 })
  expect(String(error).split('\n')).toEqual([
    expect.stringMatching(/^CommandError: --store on a server needs --blobs/),
    expect.stringMatching(/^SEINE_JWT_ISSUER needs SEINE_JWT_AUDIENCE/),
    expect.stringMatching(/^proxyHeader in \d+\.json needs trustProxy in \d+\.json/),
    expect.stringMatching(/^Fields that a model reads need modelUrl in/),
    expect.stringMatching(/^SEINE_BROWSER \/none does not exist/),
  ])
})

test('all problems are reported at once', async () => {
  await expect(read('--port x', { SEINE_HSOT: '1' }, { plan: 1 })).rejects.toThrow(
    /no setting plan.*\n.*SEINE_HSOT.*\n--port must/,
  )
})

test('the platform has the plans and prices of the file', async () => {
  const plans = [{ id: 'free', name: 'Free', creditsPerMonth: 100 }]
  const { settings } = await read('', {}, { plans, prices: { fetched: 2 }, previews: false })
  const options = await platformOptions(settings)
  expect(options).toMatchObject({ billing: { plans, prices: { fetched: 2 } }, previews: false })
  await createPlatform(options).close()
})

describe('plans, prices and previews without a configuration file', () => {
  const plans = [{ id: 'free', name: 'Free', creditsPerMonth: 100 }]
  const wishes = { plans, prices: { fetched: 2 }, previews: { perDay: 7 } }

  test('are JSON in a flag or a variable, or the path of a file of JSON', async () => {
    writeFileSync(join(folder, 'plans.json'), JSON.stringify(plans))
    const { settings, sources } = await read('--plans plans.json --prices {"fetched":2}', {
      SEINE_PLANS: '[]',
      SEINE_PREVIEWS: '{"perDay": 7}',
    })
    expect(settings).toEqual(wishes)
    expect(sources.map(({ from }) => from)).toEqual([
      'SEINE_PREVIEWS',
      '--plans plans.json',
      '--prices',
    ])
    await createPlatform(await platformOptions(settings)).close()
    const byVariable = await read('', { SEINE_PLANS: 'plans.json', SEINE_PREVIEWS: 'false' })
    expect(byVariable.settings).toEqual({ plans, previews: false })
    expect(byVariable.sources[1]?.from).toBe('SEINE_PLANS plans.json')
  })

  test.for<readonly [flags: string, env: Record<string, string>, message: string]>([
    ['--plans none.json', {}, '--plans: none.json cannot be read (ENOENT)'],
    ['', { SEINE_PRICES: '{"fetched":' }, 'SEINE_PRICES is not JSON (line 1, column 12)'],
    ['--plans {}', {}, '--plans must be a list of plans'],
    ['--prices 2', {}, '--prices must be an object, not 2'],
    ['--prices null', {}, '--prices must be an object'],
    ['', { SEINE_PRICES: '0' }, 'SEINE_PRICES must be an object, not 0'],
    ['--plans=', {}, '--plans must be JSON, or the path of a file of JSON'],
    ['--previews=', {}, '--previews must be JSON, or the path of a file of JSON'],
    ['--no-prices', {}, 'seine serve has no flag --no-prices; did you mean --prices?'],
    ['--plans folder', {}, '--plans: folder cannot be read (EISDIR)'],
    ['--prices words.json', {}, '--prices: words.json is not JSON (line 1, column 2)'],
  ])('%s %j is refused', async ([flags, env, message]) => {
    mkdirSync(join(folder, 'folder'), { recursive: true })
    writeFileSync(join(folder, 'words.json'), 'fetched: 2')
    await expect(async () => read(flags, env)).rejects.toThrow(message)
  })

  test.for<readonly [flags: string, env: Record<string, string>]>([
    ['--no-previews', {}],
    ['--previews off', {}],
    ['--previews 0', { SEINE_PREVIEWS: '{}' }],
    ['', { SEINE_PREVIEWS: '0' }],
    ['', { SEINE_PREVIEWS: 'OFF' }],
  ])('previews are off: %s %j', async ([flags, env]) => {
    expect((await read(flags, env)).settings).toEqual({ previews: false })
  })

  test('are the path of a file of JSON in a configuration file, relative to it', async () => {
    mkdirSync(join(folder, 'conf'), { recursive: true })
    writeFileSync(join(folder, 'conf', 'own.json'), JSON.stringify(plans))
    const config = (file: object) => {
      writeFileSync(join(folder, 'conf', 'conf.json'), JSON.stringify(file))
      return readSettings({ config: 'conf/conf.json', values: {} }, {}, folder)
    }
    const { settings, sources } = await config({ plans: 'own.json', previews: 'off' })
    expect(settings).toEqual({ plans, previews: false })
    expect(sources.map(({ from }) => from)).toEqual([
      'previews in conf/conf.json',
      'plans in conf/conf.json own.json',
    ])
    await expect(config({ plans: 'none.json' })).rejects.toThrow(
      'plans in conf/conf.json: none.json cannot be read (ENOENT)',
    )
    const wrong = await config({ plans: '[{"id":"a"}]' })
    const refusal = usingSettings(wrong, async (them) => {
      await createOrExplain({ ...(await platformOptions(them)), logger: silent }).close()
    })
    await expect(refusal).rejects.toThrow('conf/conf.json: plans.0.name is required')
  })

  test('a file may have a mark at its start, and the name of a word of JSON', async () => {
    writeFileSync(join(folder, 'false.json'), `\uFEFF${JSON.stringify(plans)}`)
    expect((await read('--plans false.json')).settings).toEqual({ plans })
  })

  test.for<readonly [content: string, place: string]>([
    ['svc_sk_secret\n', ' (line 1, column 1)'],
    ['[\n  {"svc_sk_secret": 1},\n]\n', ' (line 3, column 1)'],
    ['{"svc_sk_secret": 1\n"b": 2}', ' (line 2, column 1)'],
    [`{"a": "${'x'.repeat(100)}", "b": svc_sk_secret}`, ' (line 1, column 116)'],
    ['["svc_sk_secret"', ' (line 1, column 17)'],
  ])('a file that is not JSON is not repeated: %j', async ([content, place]) => {
    writeFileSync(join(folder, 'secret'), content)
    const refusal = (flags: string, config?: string) =>
      readSettings({ ...readFlags('serve', flags.split(' ')), config }, {}, folder).catch(String)
    expect(await refusal('--prices secret')).toBe(
      `CommandError: --prices: secret is not JSON${place}`,
    )
    writeFileSync(join(folder, 'secret.json'), content)
    expect(await refusal('--port 1', 'secret.json')).toBe(
      `CommandError: secret.json is not JSON${place}`,
    )
    const path = join(folder, 'secret.json')
    await expect(parseExtract(['--recipe', path])).rejects.toThrow(
      `--recipe ${path} is not JSON${place}`,
    )
    for (const [command, verb] of [
      ['tasks', 'create'],
      ['tasks', 'import'],
      ['preview', 'recipe'],
      ['estimate', 'recipe'],
    ] as const) {
      const action = ACTIONS[command]?.actions.find((each) => each.verb === verb)
      if (!action?.body) throw new Error(`seine ${command} ${verb} takes no file`)
      expect(() => action.body?.([path], {})).toThrow(`${path} is not JSON${place}`)
    }
  })

  test('a file of JSON that is no such value is not repeated either', async () => {
    writeFileSync(join(folder, 'text.json'), '"svc_sk_secret"')
    expect(
      await readSettings(readFlags('serve', ['--prices', 'text.json']), {}, folder).catch(String),
    ).toBe('CommandError: --prices text.json must be an object')
  })
})

describe('a refusal', () => {
  /** The messages at the start of a server with these settings. */
  const refused = async (
    flags: string,
    env: Record<string, string> = {},
    file: object | null = null,
  ) => {
    const settings = await read(flags, env, file)
    const error = await usingSettings(settings, async (them) => {
      proxiesOf(them)
      checkBrowser(them)
      await createOrExplain({ ...(await platformOptions(them)), logger: silent }).close()
    }).catch((cause: unknown) => cause)
    return String(error).replace(/\d+\.json/g, 'F.json')
  }

  test.for<readonly [string, Record<string, string>, object | null, string]>([
    ['--key x', {}, null, '--key must be an API key'],
    ['', { SEINE_KEY: 'x' }, null, 'SEINE_KEY must be an API key'],
    ['', {}, { key: 'x' }, 'key in F.json must be an API key'],
    [
      '',
      { SEINE_JWT_ISSUER: 'https://i.test' },
      null,
      'SEINE_JWT_ISSUER needs SEINE_JWT_AUDIENCE: the `aud`',
    ],
    [
      '',
      {},
      { jwtIssuer: 'https://i.test' },
      'jwtIssuer in F.json needs jwtAudience in F.json: the `aud`',
    ],
    ['', { SEINE_BROWSER: '/no/chromium' }, null, 'SEINE_BROWSER /no/chromium does not exist'],
    ['--mcp-tools fetc', {}, null, '--mcp-tools must be "search" or "fetch" or'],
    ['', { SEINE_MCP_TOOLS: 'crawl,fetc' }, null, 'SEINE_MCP_TOOLS must be "search" or "fetch" or'],
    ['', {}, { mcpTools: ['fetc'] }, 'mcpTools in F.json must be "search" or "fetch" or'],
    ['--proxy-header forwarded', {}, null, '--proxy-header needs --trust-proxy, which'],
    [
      '--rate mcp=off',
      { SEINE_RATE_LIMIT: '0' },
      null,
      'SEINE_RATE_LIMIT=0 switches all rates off: leave it out, or --rate',
    ],
    [
      '',
      {},
      { rateLimit: false, rate: { mcp: 'off' } },
      'rateLimit: false in F.json switches all rates off: leave it out, or rate in F.json',
    ],
    [
      '',
      {},
      { plans: [{ id: 'a', name: 'A', creditsPerMonth: -1 }] },
      'F.json: plans.0.creditsPerMonth must be a whole number from 0',
    ],
    ['--prices {"fetchd":1}', {}, null, '--prices: prices.fetchd is not an option; did you mean'],
    ['', { SEINE_PLANS: '[{"id":"a"}]' }, null, 'SEINE_PLANS: plans.0.name is required'],
    [
      '',
      {},
      { prices: { fetchd: 1 } },
      'F.json: prices.fetchd is not an option; did you mean prices',
    ],
    [
      '',
      {},
      { previews: { perday: 1 } },
      'F.json: previews.perday is not an option; did you mean prev',
    ],
  ])(
    'names the flag, variable or key of the wrong setting: %s %j %j',
    async ([flags, env, file, words]) => {
      expect(await refused(flags, env, file)).toContain(`CommandError: ${words}`)
    },
  )
})

test('config check shows where data is, and no password or key', async () => {
  const failing = await failingCases(
    [
      { name: 'store', value: 'sqlite:x/seine.db', text: 'sqlite:x/seine.db' },
      { name: 'store', value: 'memory', text: 'memory' },
      { name: 'queue', value: 'store', text: 'store' },
      { name: 'store', value: 'postgres://ann:pass@db:5432/x', text: 'postgres://db:5432/x' },
      { name: 'limiter', value: 'redis://:pass@cache:6379/0', text: 'redis://cache:6379/0' },
      { name: 'store', value: 'postgres:ann:pass@db', text: '(secret)' },
      { name: 'key', value: 'svc_sk_a', text: '(secret)' },
      { name: 'model-key', value: 'store', text: '(secret)' },
      { name: 'port', value: 7, text: '7' },
    ] as const,
    ({ name, value }) => `${name} ${value}`,
    ({ name, value, text }) => expect(shown(name, value)).toBe(text),
  )
  expect(failing).toEqual([])
})
