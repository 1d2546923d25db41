import { execFile, execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { SETTING_NAMES, settingOf } from '../../adapters/command/settings/table.ts'
import { createClient } from '../../src/client/create-client.ts'
import { freePort } from '../support/free-port.ts'
import { openPostgres } from '../support/postgres/open.ts'
import { openRedis } from '../support/redis/open.ts'
import { root } from '../support/sources/sources.ts'
import { startDocsSite } from '../support/worlds/docs-site.ts'
import { lastOf, stagesOf, variablesOf, wordsOf } from './dockerfile.ts'
import type { Stage } from './dockerfile.ts'
import { findEngine, tryImage } from './engine.ts'
import type { Outside } from './engine.ts'
import { NPM } from './person.ts'
import { readYaml, type Yaml } from './read-yaml.ts'

// Runs the files of examples/deploy unchanged, step by step, without a container engine: the steps
// of the Dockerfile in a folder in place of the image, and the commands of compose and systemd as
// processes, with the servers of this run. If this runs as root, the commands of the image's own
// user run as that user, who may write to the data folder only.

const { host, sql } = await openPostgres()
const { port: redisPort } = openRedis()
const outside: Outside = {
  run: (program, args) =>
    new Promise((resolve) => {
      const child = execFile(program, args, { timeout: 900_000 }, (error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? (error ? -1 : 0), output: error ? stderr : stdout }),
      )
    }),
  fetch: async (url, headers) => (await fetch(url, { headers })).status,
  sleep: async (ms) => void (await sleep(ms)),
}
const answering = await findEngine(outside.run)
const read = (name: string): string => readFileSync(join(root, 'examples/deploy', name), 'utf8')
const stages = stagesOf(read('Dockerfile'))
const image = stages.at(-1)
if (!image) throw new Error('The Dockerfile has no stage')
function stageNamed(name: string): Stage {
  const stage = stages.find((each) => each.name === name)
  if (!stage) throw new Error(`The Dockerfile has no stage ${name}`)
  return stage
}
const isRoot = process.getuid?.() === 0
const KEY = 'svc_sk_of_the_deployment'

/** The folder in place of the root of the image. */
let fs = ''
const running: ChildProcess[] = []
beforeAll(() => {
  fs = mkdtempSync(join(tmpdir(), 'seine-image-'))
  chmodSync(fs, 0o755)
  mkdirSync(join(fs, 'nodejs/bin'), { recursive: true })
  copyFileSync(process.execPath, join(fs, 'nodejs/bin/node'))
  build(image)
})
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'close')
  }
})
afterAll(() => rmSync(fs, { recursive: true, force: true }))

const built = new Set<Stage>()

/** The steps of a stage, and of those that it copies from, once. */
function build(stage: Stage): void {
  if (built.has(stage)) return
  built.add(stage)
  const { steps } = stage
  for (const { instruction, text } of steps) {
    if (instruction === 'COPY') copy(text)
    if (instruction === 'RUN') runStep(text)
  }
}

function copy(text: string): void {
  const [, from, owner] = /--from=(\S+)(?: --chown=(\d+):\d+)?/.exec(text) ?? []
  const stage = stages.find(({ name }) => name === from)
  // All stages share one folder, so the files of another stage are there already.
  if (stage && owner === undefined) build(stage)
  if (owner !== undefined && isRoot) chownSync(join(fs, 'data'), Number(owner), Number(owner))
  if (from !== undefined) return
  const [source = '', target = ''] = text.split(' ')
  mkdirSync(join(fs, 'app'), { recursive: true })
  copyFileSync(join(root, 'examples/deploy', source), join(fs, 'app', target, source))
}

function runStep(text: string): void {
  // The folder has no system of its own to install into: the browser is that of this machine.
  if (text.startsWith('apt-get ')) return
  // The registry does not have this package yet, so the tarball is installed.
  const manifest = join(fs, 'app/package.json')
  writeFileSync(
    manifest,
    readFileSync(manifest, 'utf8').replace(/"seine": "[^"]+"/, `"seine": "${inject('tarball')}"`),
  )
  execFileSync('sh', ['-euc', text.replace(' /data', ` ${join(fs, 'data')}`)], {
    cwd: join(fs, 'app'),
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 600_000,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: fs,
      ...NPM,
      // The step empties the cache of the image, and not that of this machine.
      ...(text.includes('npm cache clean') && { npm_config_cache: join(fs, 'npm-cache') }),
    },
  })
}

const placed = (text: string): string =>
  text.replace(/^\/(nodejs|data|app)\b/, (_, name: string) => join(fs, name))

/** Starts the command of an image, as its user, or as ours, who may use the Postgres of this run. */
function start(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  isItsUser = isRoot,
  stage = image as Stage,
): { child: ChildProcess; listening: Promise<string> } {
  const user = lastOf(stage, 'USER').split(':')[0] ?? ''
  const [program = '', ...args] = [
    ...(isItsUser ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'] : []),
    ...words.map(placed),
  ]
  const child = spawn(program, args, {
    cwd: join(fs, 'app'),
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let screen = ''
  const listening = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        screen += text
        const [, url] = /^listening (\S+)$/m.exec(screen) ?? []
        if (url !== undefined) resolve(url)
      })
    child.once('close', (code) => reject(new Error(`It ended with ${code}:\n${screen}`)))
  })
  return { child, listening }
}

/** A folder that the engine builds from: the registry does not have this package yet. */
function contextFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'seine-context-'))
  copyFileSync(inject('tarball'), join(folder, 'seine.tgz'))
  const manifest = read('package.json').replace(/"seine": "[^"]+"/, '"seine": "file:seine.tgz"')
  writeFileSync(join(folder, 'package.json'), manifest)
  const dockerfile = read('Dockerfile').replace(
    'COPY package.json ./',
    'COPY package.json *.tgz ./',
  )
  writeFileSync(join(folder, 'Dockerfile'), dockerfile)
  return folder
}

// Without an engine the steps of the Dockerfile are run as they stand, by the tests below.
const engines = answering === null ? [] : [answering]
process.stdout.write(`story: the container engine that answers: ${answering ?? 'none'}\n`)
test.for(engines)(
  '%s builds both images, and runs them read-only and not as root',
  async (engine) => {
    const folder = contextFolder()
    try {
      const trial = { engine, folder, target: null, mostBytes: 250e6, command: null }
      const { bytes } = await tryImage(trial, outside)
      process.stdout.write(`story: the image has ${(bytes / 1e6).toFixed(0)} MB\n`)
      const [node = '', main = ''] = wordsOf(lastOf(stageNamed('chromium'), 'ENTRYPOINT'))
      // Chromium must render a page: the reference, of the server in the same container.
      const page = ['http://127.0.0.1:3000/docs', '--allow-private-network', '--data', ':memory:']
      const what = ['--render', '--browser', '/usr/bin/chromium', '--no-detect', '--json']
      const command = [node, main, 'extract', ...page, ...what, '--field', 'title=title']
      const rendering = { ...trial, target: 'chromium', mostBytes: 1.5e9, command }
      expect((await tryImage(rendering, outside)).bytes).toBeGreaterThan(bytes)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test('the image is small, and its user may write to a folder for data and nothing else', () => {
  expect(image.from).toMatch(/^gcr\.io\/distroless\/.*:nonroot$/)
  const bytes = readdirSync(fs, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
  process.stdout.write(`story: Node and the app have ${(bytes / 1e6).toFixed(0)} MB\n`)
  // The rest of the base image has about 30 MB.
  expect(bytes).toBeLessThan(220e6)
  expect(lastOf(image, 'VOLUME')).toBe('/data')
  for (const stage of stages.filter(({ name }) => name !== 'install')) {
    expect(Number(lastOf(stage, 'USER').split(':')[0])).toBeGreaterThan(0)
    expect(unknownSettings(variablesOf(lastOf(stage, 'ENV')))).toEqual([])
  }
})

test('the server of the image is healthy, writes only to its data, and ends on a signal', async () => {
  const env = {
    ...variablesOf(lastOf(image, 'ENV')),
    SEINE_DATA: join(fs, 'data'),
    SEINE_HOST: '127.0.0.1',
    SEINE_PORT: String(await freePort()),
  }
  const words = [...wordsOf(lastOf(image, 'ENTRYPOINT')), ...wordsOf(lastOf(image, 'CMD'))]
  const { child, listening } = start(words, env)
  await listening
  const [check = '', ...args] = wordsOf(lastOf(image, 'HEALTHCHECK')).map(placed)
  const healthy = (port: string): Promise<number> =>
    new Promise((resolve) => {
      const probe = execFile(check, args, { env: { SEINE_PORT: port } }, () =>
        resolve(probe.exitCode ?? -1),
      )
    })
  expect(await healthy(env.SEINE_PORT)).toBe(0)
  expect(await healthy(String(await freePort()))).toBe(1)
  expect(readdirSync(join(fs, 'data'))).toContain('seine.db')
  if (isRoot) expect(statSync(join(fs, 'data/seine.db')).uid).toBe(65_532)
  child.kill('SIGTERM')
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
})

test('the files for compose name settings, volumes and secrets that exist', () => {
  for (const name of ['compose.yaml', 'compose.cluster.yaml']) {
    const file = mapOf(readYaml(read(name)))
    const [volumes, secrets] = [file['volumes'], file['secrets']].map((part) =>
      Object.keys(mapOf(part ?? {})),
    )
    for (const service of Object.values(mapOf(file['services'] ?? {})).map(mapOf)) {
      const own = service['image'] === 'seine'
      expect([name, own || /:\d+-bookworm$/.test(String(service['image']))]).toEqual([name, true])
      expect(unknownSettings(own ? textsOf(service['environment']) : {})).toEqual([])
      for (const volume of listOf(service['volumes']))
        expect(volumes).toContain(volume.split(':')[0])
      for (const secret of listOf(service['secrets'])) expect(secrets).toContain(secret)
      if (!own) continue
      expect(service).toMatchObject({
        read_only: 'true',
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
    }
  }
})

test('a single machine, and a cluster of an API and three workers, run by the files for compose', async () => {
  await sql`create database deployed`
  mkdirSync(join(fs, 'secrets'))
  const secrets: Record<string, string> = {
    'seine-key': KEY,
    store: `postgres://seine@/deployed?host=${encodeURIComponent(host)}`,
  }
  for (const [name, text] of Object.entries(secrets))
    writeFileSync(join(fs, 'secrets', name), `${text}\n`)
  const here = (text: string): string =>
    text
      .replace('/run/secrets', join(fs, 'secrets'))
      .replace('file:/data', `file:${join(fs, 'data/blobs')}`)
      .replace('redis://redis:6379', `redis://127.0.0.1:${redisPort}/6`)
  const site = await startDocsSite()
  try {
    for (const name of ['compose.yaml', 'compose.cluster.yaml']) {
      const services = Object.values(mapOf(mapOf(readYaml(read(name)))['services'] ?? {}))
      const urls: string[] = []
      for (const service of services.map(mapOf).filter((each) => each['image'] === 'seine')) {
        const replicas = Number(mapOf(service['deploy'] ?? {})['replicas'] ?? 1)
        const words = [
          ...wordsOf(lastOf(image, 'ENTRYPOINT')),
          ...(service['command'] ? listOf(service['command']) : wordsOf(lastOf(image, 'CMD'))),
        ]
        for (let i = 0; i < replicas; i++) {
          const env = {
            ...variablesOf(lastOf(image, 'ENV')),
            ...Object.fromEntries(
              Object.entries(textsOf(service['environment'])).map(([key, text]) => [
                key,
                here(text),
              ]),
            ),
            SEINE_DATA: join(fs, 'data'),
            SEINE_HOST: '127.0.0.1',
            SEINE_PORT: '0',
            SEINE_ALLOW_PRIVATE_NETWORK: 'true',
          }
          const { listening } = start(words, env, isRoot && name === 'compose.yaml')
          urls.push(await listening)
        }
      }
      expect(urls.length).toBe(name === 'compose.yaml' ? 1 : 4)
      const client = createClient({ baseUrl: urls[0] ?? '', apiKey: KEY })
      const { id } = await client.executions.run({
        recipe: { start: { urls: [`${site.url}/category/pens`] }, extract: 'auto' },
      })
      await expect
        .poll(async () => (await client.executions.get(id)).status, { interval: 200 })
        .toBe('succeeded')
      expect((await client.results.list(id)).items.length).toBeGreaterThan(5)
      for (const child of running.splice(0)) {
        child.kill('SIGTERM')
        await once(child, 'close')
      }
    }
  } finally {
    await site.close()
  }
})

test('the unit of systemd starts a server that answers', async () => {
  const unit = read('seine.service')
  const values = (name: string): string[] =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const credentials = join(fs, 'credentials')
  mkdirSync(credentials)
  writeFileSync(join(credentials, 'key'), `${KEY}\n`)
  const env = variablesOf(
    values('Environment')
      .join(' ')
      .replace('%d', credentials)
      .replace('/var/lib/seine', join(fs, 'data')),
  )
  expect(unknownSettings(env)).toEqual([])
  expect(values('StateDirectory')).toEqual(['seine'])
  const words = (values('ExecStart')[0] ?? '')
    .replace('/usr/bin/node', '/nodejs/bin/node')
    .replace('/opt/seine', join(fs, 'app'))
    .split(' ')
  const { listening } = start(words, { ...env, SEINE_PORT: '0' })
  const url = await listening
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect(
    (await fetch(`${url}/api/v1/tasks`, { headers: { authorization: `Bearer ${KEY}` } })).status,
  ).toBe(200)
})

test('the server of the image with Chromium is healthy, and renders a page that scripts write', async () => {
  const stage = stages.find(({ name }) => name === 'chromium')
  if (!stage) throw new Error('The Dockerfile has no stage chromium')
  build(stage)
  const env: Record<string, string> = {
    ...variablesOf(lastOf(stage, 'ENV')),
    // Not that of the other image, whose user is another.
    SEINE_DATA: join(fs, 'data/chromium'),
    SEINE_HOST: '127.0.0.1',
    SEINE_PORT: String(await freePort()),
    SEINE_KEY: KEY,
    SEINE_ALLOW_PRIVATE_NETWORK: 'true',
    // The path of Chromium on this machine, as for the tests in a browser.
    ...(process.env['CHROMIUM'] && { SEINE_BROWSER: process.env['CHROMIUM'] }),
  }
  // The base image has `node` on its path.
  const itsNode = (words: readonly string[]) =>
    words.map((word, index) => (index === 0 && word === 'node' ? '/nodejs/bin/node' : word))
  const words = [...wordsOf(lastOf(stage, 'ENTRYPOINT')), ...wordsOf(lastOf(stage, 'CMD'))]
  const url = await start(itsNode(words), env, isRoot, stage).listening
  const [check = '', ...args] = itsNode(wordsOf(lastOf(stage, 'HEALTHCHECK'))).map(placed)
  execFileSync(check, args, { env: { SEINE_PORT: env['SEINE_PORT'] ?? '' } })

  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<h1></h1><script>document.querySelector("h1").append("Written")</script>')
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  try {
    const address = site.address()
    const port = typeof address === 'object' ? address?.port : null
    const client = createClient({ baseUrl: url, apiKey: KEY })
    const { id } = await client.executions.run({
      recipe: {
        start: { urls: [`http://127.0.0.1:${port}/`] },
        page: { render: 'browser' },
        extract: { fields: { title: 'h1' } },
      },
    })
    await expect
      .poll(async () => (await client.executions.get(id)).status, {
        interval: 200,
        timeout: 60_000,
      })
      .toBe('succeeded')
    expect((await client.results.list(id)).items).toEqual([{ title: 'Written' }])
  } finally {
    site.close()
  }
})

/** Variables of the command that belong to no setting. */
function unknownSettings(env: Readonly<Record<string, string>>): string[] {
  const names = new Set(
    SETTING_NAMES.flatMap((name) => {
      const variable = `SEINE_${name.toUpperCase().replaceAll('-', '_')}`
      return settingOf(name).isSecret ? [variable, `${variable}_FILE`] : [variable]
    }),
  )
  return Object.keys(env).filter((name) => name.startsWith('SEINE_') && !names.has(name))
}

function mapOf(value: Yaml): Readonly<Record<string, Yaml>> {
  if (typeof value === 'string' || Array.isArray(value)) throw new Error(`${value} is no map`)
  return Object.fromEntries(Object.entries(value))
}

function textsOf(value: Yaml | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(mapOf(value ?? {})).map(([name, text]) => [name, String(text)]),
  )
}

function listOf(value: Yaml | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
