import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND_NAMES } from '../../../../adapters/command/commands.ts'
import type { Shop } from '../../../../examples/demo/shop.ts'
import { runCommand, startCommand, temporaryFolder } from '../../../support/command.ts'
import type { RunningCommand } from '../../../support/command.ts'
import { openPostgres } from '../../../support/postgres/open.ts'
import { requireBuild } from '../../../support/sources/dist.ts'
import { root } from '../../../support/sources/sources.ts'
import { startDocsSite } from '../../../support/worlds/docs-site.ts'

// Proves the table "Where commands work" of docs/cli.md: each command on each kind of data.

const PLACES = ['directory', 'database', 'server'] as const
type Place = (typeof PLACES)[number]
/** The site of the test is on this machine. */
const OPEN = { SEINE_ALLOW_PRIVATE_NETWORK: '1' }
const KEY = 'svc_sk_places_0123456789abcdef'

/** Per command and place the cell of the table; empty where the command needs no data. */
const table = new Map(
  readFileSync(join(root, 'docs/cli.md'), 'utf8')
    .split('## Where commands work')[1]
    ?.split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, names = '', ...cells] = line.split('|').map((cell) => cell.trim())
      return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, cells] as const)
    }),
)

const { host, sql } = await openPostgres()
let folder: ReturnType<typeof temporaryFolder>
let site: Shop
let server: RunningCommand
/** The flags and variables of each place. */
let places: Readonly<Record<Place, readonly [string[], Record<string, string>]>>
let operator = ''

const postgres = (name: string): string[] => [
  '--store',
  `postgres://seine@/${name}?host=${encodeURIComponent(host)}`,
  '--blobs',
  `file:${name}-blobs`,
]

async function seine(place: Place, args: readonly string[], input?: string) {
  const [flags, env] = places[place]
  const key = OPERATORS.has(args[0] ?? '') && place === 'server' ? { SEINE_KEY: operator } : {}
  const command = startCommand([...args, ...flags], folder.path, { ...env, ...key }, input)
  return command.ended
}

/** Commands that need a key of an operator on a server. */
const OPERATORS = new Set(
  Array.from(table, ([name, cells]) => (/key/.test(cells[2] ?? '') ? name : '')),
)
OPERATORS.delete('doctor')

beforeAll(async () => {
  requireBuild()
  folder = temporaryFolder()
  site = await startDocsSite()
  await sql`create database places`
  await sql`create database places_restored`
  const database = postgres('places')
  server = startCommand(
    ['serve', '--port', '0', '--key', KEY, '--allow-private-network', ...database],
    folder.path,
  )
  const [, url = ''] = await server.until('stdout', /^listening (\S+)\n/)
  places = {
    directory: [['--data', 'places'], OPEN],
    database: [database, OPEN],
    server: [['--url', url], { ...OPEN, SEINE_KEY: KEY }],
  }
  const made = await seine('database', ['keys', 'create', '--scopes', 'operator'])
  operator = made.stdout.trim()
  writeFileSync(
    join(folder.path, 'recipe.json'),
    JSON.stringify({ start: { urls: [`${site.url}/category/pens`] }, extract: 'auto' }),
  )
  writeFileSync(
    join(folder.path, 'hello.jsonl'),
    `${JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    })}\n`,
  )
}, 120_000)
afterAll(async () => {
  server.child.kill('SIGTERM')
  await server.ended
  await site.close()
  folder.remove()
})

test('the table of places has each command once', () => {
  expect([...table.keys()].toSorted()).toEqual(COMMAND_NAMES.toSorted())
})

test.for(PLACES)('each command does on a %s what the table says of it', async (place) => {
  const extracted = await seine(place, [
    'extract',
    `${site.url}/category/pens`,
    '--json',
    '--allow-private-network',
  ])
  expect([extracted.code, extracted.stdout]).toEqual([0, expect.stringContaining('Fountain pen')])
  const [run = ''] = /exec_\w+/.exec(extracted.stderr) ?? []
  const made = await seine(place, ['tasks', 'create', 'recipe.json', '--name', place, '--json'])
  const [task = ''] = /task_\w+/.exec(made.stdout) ?? []
  const account = `gone-${place}`
  // Keys of other accounts, and backups, are made where the data is.
  const home = place === 'server' ? 'database' : place
  for (const args of [
    ['keys', 'create', '--account', account],
    ['backup', `${place}.tar`],
  ])
    expect((await seine(home, args)).code, args.join(' ')).toBe(0)
  const closing = await seine(place, ['accounts', 'close', account, '--reason', 'moved'])
  expect(closing, closing.stderr).toMatchObject({ code: 0 })

  const runs: Readonly<Record<string, readonly string[]>> = {
    runs: ['runs', 'show', run],
    pages: ['pages', run],
    rows: ['rows', run],
    export: ['export', run, '--out', `${place}.csv`],
    tasks: ['tasks', 'show', task],
    preview: ['preview', 'recipe.json'],
    estimate: ['estimate', 'recipe.json'],
    schedule: ['schedule', 'set', task, '0 6 * * *'],
    datasets: ['datasets', 'list'],
    templates: ['templates', 'list'],
    keys: ['keys', 'list'],
    usage: ['usage', 'balance'],
    accounts: ['accounts', 'list'],
    operator: ['operator', 'health'],
    verify: ['verify'],
    erase: ['erase', account, '--yes', ...(place === 'server' ? ['--reason', 'moved'] : [])],
    doctor: ['doctor'],
    backup: ['backup', `${place}-again.tar`],
  }
  const wrong: string[] = []
  for (const [name, cells] of table) {
    const cell = cells[PLACES.indexOf(place)] ?? ''
    const args = runs[name]
    if (args === undefined) continue
    const { code, stderr } = await seine(place, args)
    const [, reason] = /^no: (.*)$/.exec(cell) ?? []
    const isRight =
      reason === undefined ? cell !== '' && code === 0 : code === 2 && stderr.includes(reason)
    if (!isRight) wrong.push(`${args.join(' ')}: ${cell}; ${String(code)} ${stderr}`)
  }
  expect(wrong).toEqual([])

  const spoken = await seine(place, ['mcp'], 'hello.jsonl')
  expect([spoken.code, spoken.stdout]).toEqual([0, expect.stringContaining('"serverInfo"')])
  const target =
    place === 'directory'
      ? ['--data', 'restored']
      : place === 'database'
        ? postgres('places_restored')
        : places.server[0]
  const restored = await runCommand(
    ['restore', `${place}.tar`, ...target],
    folder.path,
    places[place][1],
  )
  expect([restored.code, restored.stderr + restored.stdout]).toEqual(
    place === 'server'
      ? [2, expect.stringContaining('not replaced while it runs')]
      : [0, expect.stringContaining('Everything agrees')],
  )
  // No case is left out in silence.
  const elsewhere = ['extract', 'mcp', 'restore', 'serve']
  const own = Array.from(table, ([name, cells]) => (cells[0] === '' ? name : ''))
  expect(
    COMMAND_NAMES.filter((name) => ![...Object.keys(runs), ...elsewhere, ...own].includes(name)),
  ).toEqual([])
})
