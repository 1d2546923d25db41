import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { startShop, type Shop } from '../../../examples/demo/shop.ts'
import type { Commit } from '../../../src/ports/store.ts'
import { createRecords } from '../../../src/features/records.ts'
import { runCommand, startCommand, temporaryFolder } from '../../support/command.ts'
import { requireBuild } from '../../support/sources/dist.ts'

let shop: Shop
let folder: ReturnType<typeof temporaryFolder>
beforeAll(async () => {
  requireBuild()
  shop = await startShop()
  folder = temporaryFolder()
  const { code, stderr } = await runCommand(
    [
      'extract',
      shop.url,
      '--follow',
      'nav.categories a',
      '--follow',
      '.product-link',
      '--next',
      'a.next',
      '--field',
      'sku=.sku',
      '--allow-private-network',
      '--data',
      'crawled',
    ],
    folder.path,
  )
  if (code !== 0) throw new Error(stderr)
})
afterAll(async () => {
  await shop.close()
  folder.remove()
})

const verify = (...args: string[]) =>
  runCommand(['verify', '--data', 'crawled', ...args], folder.path)

/** Changes entries of the store directly, beside any server that uses it. */
async function tamper(
  change: (records: ReturnType<typeof createRecords>) => Promise<Commit>,
): Promise<void> {
  const store = createSqliteStore({ path: join(folder.path, 'crawled/seine.db') })
  try {
    expect(await store.commit(await change(createRecords(store)))).toBe(true)
  } finally {
    await store.close()
  }
}

test('the store after a crawl agrees with itself, also while a server runs on it', async () => {
  const idle = await verify()
  expect([idle.code, idle.stderr]).toEqual([0, ''])
  expect(idle.stdout).toMatch(/^area +checked +differences$/m)
  expect(idle.stdout).toMatch(/^executions +1 +0$/m)
  expect(idle.stdout).toMatch(/^Accounts: \d+\. Everything agrees\.$/m)
  const server = startCommand(['serve', '--port', '0', '--data', 'crawled'], folder.path)
  await server.until('stdout', /^listening /)
  expect((await verify()).code).toBe(0)
  server.child.kill('SIGTERM')
  expect((await server.ended).code).toBe(0)
})

test('damage is reported with exit code 1; indexes are repaired on demand, counters never', async () => {
  await tamper(async (records) => {
    const [execution] = await records.executions.list('default', { limit: 1 })
    const id = execution?.value.id ?? ''
    return {
      delete: [['default', 'executions/status', 'succeeded', id]],
      set: [
        {
          key: ['default', 'progress', id],
          value: { ...(await records.progress.get('default', id))?.value, rows: 61 },
        },
      ],
    }
  })
  const result = await verify()
  expect(result.code).toBe(1)
  expect(result.stdout).toMatch(
    /^indexes, account default, executions: the index entry executions\/status\/succeeded\/exec_\w+ is missing$/m,
  )
  expect(result.stdout).toMatch(
    /^executions, account default, exec_\w+: rows is 61, its page report comes to 60$/m,
  )
  expect(result.stdout).toContain('There are differences.')
  const repaired = await verify('--repair', '--json')
  const report = JSON.parse(repaired.stdout)
  expect([
    repaired.code,
    report.ok,
    report.differences.map(({ area, repaired: done }: { area: string; repaired: boolean }) => [
      area,
      done,
    ]),
  ]).toEqual([
    1,
    false,
    expect.arrayContaining([
      ['indexes', true],
      ['executions', false],
    ]),
  ])
  expect((await verify()).stdout).toMatch(/^indexes +\d+ +0$/m)
  expect((await verify('--account', 'nobody')).code).toBe(0)
})

test('a folder without a store does not count as a store without errors', async () => {
  expect(await runCommand(['verify', '--data', 'nowhere'], folder.path)).toMatchObject({
    code: 1,
    stderr: 'seine: There is no store in nowhere: --data, --store or --url names where one is\n',
  })
  const named = await runCommand(['verify', '--store', 'sqlite:nowhere/a.db'], folder.path)
  expect(named).toMatchObject({
    code: 1,
    stderr: 'seine: There is no store in nowhere/a.db: --data or --store names where one is\n',
  })
  expect(existsSync(join(folder.path, 'nowhere'))).toBe(false)
  expect((await runCommand(['verify', '--data', ':memory:'], folder.path)).code).toBe(2)
  expect((await runCommand(['verify', '--help'], folder.path)).stdout).toContain('--repair')
})

test('a damaged file is named with what is gone, and repaired into a new one', async () => {
  const path = join(folder.path, 'crawled/seine.db')

  const bytes = readFileSync(path)
  const page = 4_096
  // Leaves of the tree of the entries: those of a page with many visits.
  const offset = bytes.lastIndexOf('"outcome":')
  expect(offset).toBeGreaterThan(2 * page)
  bytes.fill(0xff, Math.floor(offset / page) * page, (Math.floor(offset / page) + 1) * page)
  writeFileSync(path, bytes)
  const seen = await verify()
  expect([seen.code, seen.stderr]).toEqual([1, ''])
  expect(seen.stdout).toMatch(/seine\.db is damaged\. \d+ records can be read\.\ngone: /)
  expect(seen.stdout).toContain('Stop the servers of this data')
  const repaired = await verify('--repair')
  expect([repaired.code, repaired.stderr]).toEqual([1, ''])
  expect(repaired.stdout).toMatch(
    /gone: .*\nThey are in a new file\. The damaged one is .*\.damaged/,
  )
  expect(repaired.stdout).toMatch(/^area +checked +differences$/m)
  const json: unknown = JSON.parse((await verify('--json')).stdout)
  // The file is whole now. Receipts that are gone are told as differences of their executions.
  expect(json).toMatchObject({ ok: false, checks: expect.any(Array) })
  expect(json).not.toHaveProperty('file')
})
