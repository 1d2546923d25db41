import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND_NAMES, helpOf, verbsOf } from '../../../adapters/command/commands.ts'
import { candidatesOf } from '../../../adapters/command/completion.ts'
import { HELP } from '../../../adapters/command/help.ts'
import type { Shop } from '../../../examples/demo/shop.ts'
import { runCommand, startScript, temporaryFolder } from '../../support/command.ts'
import { freePort } from '../../support/free-port.ts'
import { requireBuild } from '../../support/sources/dist.ts'
import { root } from '../../support/sources/sources.ts'
import { startDocsSite } from '../../support/worlds/docs-site.ts'

// Proves `seine doctor`, `seine init` and `seine completion`, and what each command does at its start.

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

const doctor = async (...args: string[]) => {
  const { code, stdout } = await runCommand(['doctor', '--json', ...args], folder.path, {
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  })
  const lines = stdout.trim().split('\n')
  const findings: unknown[] = lines.map((line): unknown => JSON.parse(line))
  return { code, findings }
}

test('doctor reports what is present, what is missing and what is wrong, and makes no store', async () => {
  const fresh = await doctor()
  expect(fresh.code).toBe(0)
  expect(fresh.findings).toContainEqual({
    check: 'store',
    state: 'note',
    says: 'none yet in .seine: seine serve makes it',
  })
  expect(existsSync(join(folder.path, '.seine'))).toBe(false)

  await runCommand(['keys', 'create'], folder.path)
  const used = await doctor()
  expect(used.findings).toContainEqual({ check: 'keys', state: 'ok', says: '1 of account default' })
  expect(used.findings).toContainEqual({
    check: 'store',
    state: 'ok',
    says: expect.stringMatching(/^answers in \d+ ms$/),
  })

  const away = await doctor('--store', 'postgres://localhost:1/none', '--blobs', 'file:blobs')
  expect(away.code).toBe(1)
  expect(away.findings).toContainEqual({
    check: 'store',
    state: 'wrong',
    says: expect.stringContaining('ECONNREFUSED'),
  })
  const bucket = `s3://bucket?endpoint=http://127.0.0.1:${await freePort()}`
  const queued = await doctor(
    '--data',
    'none',
    '--queue',
    'redis://localhost:1',
    '--limiter',
    'redis://localhost:1',
  )
  const filed = await doctor('--data', 'none', '--blobs', bucket)
  expect([queued.code, filed.code]).toEqual([1, 1])
  for (const [check, { findings }] of [
    ['queue', queued],
    ['limiter', queued],
    ['blobs', filed],
  ] as const)
    expect(findings).toContainEqual({
      check,
      state: 'wrong',
      says: expect.stringContaining('ECONNREFUSED'),
    })
  expect(existsSync(join(folder.path, 'none'))).toBe(false)
  const misspelt = await runCommand(['doctor', '--prot', '1'], folder.path)
  expect([misspelt.code, misspelt.stderr]).toEqual([2, expect.stringContaining('port')])
})

/** Tells on stderr which files of jose are loaded. */
const TELL_JOSE = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  if (url.includes('/node_modules/jose/')) process.stderr.write(url + '\\n')
  return next(url, context)
} })`

test('a command that meets no token loads no code for tokens', async () => {
  const hook = `data:text/javascript,${encodeURIComponent(TELL_JOSE)}`
  const main = join(root, 'dist/command/main.js')
  const { stdout, stderr } = await startScript(['--import', hook, main, 'doctor'], folder.path)
    .ended
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^node +ok/), ''])
})

test('doctor fetches a page as an execution would', async () => {
  const open = await doctor(`${site.url}/category/pens`, '--allow-private-network')
  expect(open.findings.at(-1)).toMatchObject({
    check: 'page',
    state: 'ok',
    says: expect.stringMatching(/^200, \d+ bytes in \d+ ms; /),
  })
  const shut = await doctor(`${site.url}/category/pens`)
  expect([shut.code, shut.findings.at(-1)]).toEqual([
    1,
    {
      check: 'page',
      state: 'wrong',
      says: expect.stringMatching(
        /^http:\S+\/pens: The host .* is not on the public internet\.\n.*--allow-private-network$/,
      ),
    },
  ])
})

test('doctor takes the values of flags for what they are, and one address for the page', async () => {
  const flagged = await doctor('--public-url', 'https://data.example.com', '--data', 'none')
  expect(flagged.code).toBe(0)
  expect(flagged.findings).not.toContainEqual(expect.objectContaining({ check: 'page' }))
  const both = await doctor('--public-url', site.url, site.url, '--allow-private-network')
  expect(both.findings).toContainEqual(expect.objectContaining({ check: 'page', state: 'ok' }))
  for (const [words, message] of [
    [
      ['example.com'],
      'takes the address of a page, such as https://example.com/, not "example.com"',
    ],
    [[site.url, 'https://b.test/'], 'fetches one page: leave out https://b.test/'],
    [['--url'], '--url needs a value'],
  ] as const)
    expect(await runCommand(['doctor', ...words], folder.path)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
})

test('doctor checks this machine where SEINE_URL is set, if a page or data means it', async () => {
  const away = {
    SEINE_URL: `http://127.0.0.1:${await freePort()}`,
    SEINE_KEY: 'svc_sk_doctor_0123456789_0123',
  }
  const page = `${site.url}/category/pens`
  const seen = async (args: readonly string[], env: Record<string, string> = {}) => {
    const { stdout } = await runCommand(['doctor', ...args], folder.path, { ...away, ...env })
    return stdout.match(/^\w+(?= )/gm)
  }
  const here = ['node', 'settings', 'disk', 'store', 'browser']
  expect(await seen([])).toEqual(['node', 'server'])
  for (const [args, env] of [
    [['--data', 'fresh'], {}],
    [[], { SEINE_DATA: 'fresh' }],
  ] as const)
    expect(await seen(args, env), JSON.stringify([args, env])).toEqual(here)
  expect((await seen([page, '--allow-private-network']))?.at(-1)).toBe('page')
  expect(await seen([], { SEINE_PROT: '1' })).toEqual(['node', 'settings'])
})

test('init writes the starter of the framework in package.json, and overwrites nothing', async () => {
  for (const [name, tell] of [
    ['express', 'express'],
    ['fastify', 'fastify'],
    ['cloudflare', 'wrangler'],
    ['serve', ''],
  ] as const) {
    const dir = join(folder.path, `app-${name}`)
    mkdirSync(dir)
    const facts = { dependencies: tell === '' ? {} : { [tell]: '1' } }
    writeFileSync(join(dir, 'package.json'), JSON.stringify(facts))
    writeFileSync(join(dir, 'pnpm-lock.yaml'), '')
    const { code, stdout } = await runCommand(['init'], dir)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Written for ${name}: seine.ts`)])
    expect(stdout).toContain('  pnpm add seine\n')
    const source = readFileSync(join(dir, 'seine.ts'), 'utf8')
    const example = readFileSync(join(root, `examples/hosts/${name}.ts`), 'utf8')
    expect(source).not.toContain('#region')
    expect(source.split('\n')).toEqual(
      example.split('\n').filter((line) => !line.trim().startsWith('//#')),
    )
    writeFileSync(join(dir, 'seine.ts'), 'mine')
    const again = await runCommand(['init'], dir)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is there already')])
    expect(readFileSync(join(dir, 'seine.ts'), 'utf8')).toBe('mine')
  }
  // A project that was never installed has no lock file.
  const named = join(folder.path, 'named')
  mkdirSync(named)
  writeFileSync(
    join(named, 'package.json'),
    JSON.stringify({ packageManager: 'yarn@4.9.1+sha1.a' }),
  )
  expect((await runCommand(['init'], named)).stdout).toContain('  yarn add seine\n')
  const next = await runCommand(['init', 'next', '--dir', folder.path], folder.path)
  expect(next.code).toBe(0)
  expect(existsSync(join(folder.path, 'app/data/[...path]/route.ts'))).toBe(true)
  const unknown = await runCommand(['init', 'exprss'], folder.path)
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('express')])
})

test('each command has help, and completion takes its flags from there', async () => {
  const listed = [...HELP.matchAll(/^ {2}seine ([a-z]+)/gm)].map(([, name]) => name)
  expect(COMMAND_NAMES.toSorted()).toEqual(listed.toSorted())
  for (const name of COMMAND_NAMES) {
    const { code, stdout } = await runCommand([name, '--help'], folder.path)
    expect([name, code, stdout]).toEqual([name, 0, helpOf(name)])
    for (const verb of verbsOf(name)) expect(stdout).toContain(verb)
    for (const flag of candidatesOf([name, '-']))
      if (flag !== '--help') expect(stdout).toContain(flag)
  }
})

test('completion offers the words that may come next', async () => {
  expect(candidatesOf(['ta'])).toEqual(['tasks'])
  expect(candidatesOf(['runs', 're'])).toEqual(['resume', 'retry'])
  expect(candidatesOf(['extract', 'x', '--fo'])).toEqual(['--follow', '--format'])
  expect(candidatesOf(['toString', '--'])).toEqual(['--help'])
  const bash = await runCommand(['completion', 'bash'], folder.path)
  expect(bash.stdout).toContain('complete -o default -F _seine seine')
  const words = await runCommand(['completion', 'words', 'help', 'do'], folder.path)
  expect(words.stdout).toBe('doctor\n')
  expect((await runCommand(['completion', 'tcsh'], folder.path)).code).toBe(2)
})

test('compiled code is kept in the cache of the user, where there is one', async () => {
  const cache = join(folder.path, 'cache')
  const line = ['completion', 'words', 'help', 'do']
  for (const env of [
    { XDG_CACHE_HOME: cache },
    { XDG_CACHE_HOME: '', HOME: '/dev/null' },
    { XDG_CACHE_HOME: '', HOME: '', USERPROFILE: '' },
  ])
    expect(await runCommand(line, folder.path, env)).toMatchObject({
      code: 0,
      stdout: 'doctor\n',
      stderr: '',
    })
  expect(readdirSync(join(cache, 'seine'))).not.toEqual([])
  const off = join(folder.path, 'off')
  const none = { XDG_CACHE_HOME: off, NODE_DISABLE_COMPILE_CACHE: '1' }
  expect(await runCommand(line, folder.path, none)).toMatchObject({ code: 0 })
  expect(existsSync(off)).toBe(false)
})
