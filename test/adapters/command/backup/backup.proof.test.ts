import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startShop, type Shop } from '../../../../examples/demo/shop.ts'
import { runCommand, startCommand, temporaryFolder } from '../../../support/command.ts'
import { requireBuild } from '../../../support/sources/dist.ts'

// Proves the commands on real files, beside a server that crawls.

let shop: Shop
let folder: ReturnType<typeof temporaryFolder>
beforeAll(async () => {
  requireBuild()
  shop = await startShop()
  folder = temporaryFolder()
})
afterAll(async () => {
  await shop.close()
  folder.remove()
})

const seine = (...args: string[]) => runCommand(args, folder.path)
const bytesBelow = (path: string): Buffer =>
  Buffer.concat(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name))),
  )

test('a server is backed up during a crawl; the restored file verifies, and its crawl goes on', async () => {
  const server = startCommand(
    [
      'serve',
      '--port',
      '0',
      '--data',
      'live',
      '--key',
      'svc_sk_canary7',
      '--allow-private-network',
    ],
    folder.path,
  )
  const [, url = ''] = await server.until('stdout', /(http:\/\/\S+?)\/?(?:\s|$)/)
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: 'Bearer svc_sk_canary7', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer: ReturnType<typeof JSON.parse> = await response.json()
    if (!response.ok) throw new Error(JSON.stringify(answer))
    return answer.data
  }
  const task = await call('/tasks', {
    name: 'canary7',
    recipe: {
      start: { urls: [shop.url] },
      follow: [
        { links: 'nav.categories a', as: 'category', on: 'start' },
        { next: 'a.next', on: 'category' },
        { links: '.product-link', as: 'product', on: 'category' },
      ],
      extract: { on: 'product', fields: { sku: '.sku' } },
      crawl: { delayMs: 20 },
    },
  })
  const run = await call(`/tasks/${task.id}/executions`, {})
  await expect
    .poll(async () => (await call(`/executions/${run.id}`)).counters.fetched, { interval: 100 })
    .toBeGreaterThan(5)
  const backup = await seine('backup', 'one.tar', '--data', 'live')
  expect([backup.code, backup.stderr]).toEqual([0, ''])
  expect(backup.stdout).toMatch(/^\d+ records and \d+ blobs? \(\d+ bytes\) are in one\.tar$/m)
  const inFolder = await seine('backup', 'copy', '--data', 'live', '--json')
  expect(JSON.parse(inFolder.stdout)).toMatchObject({ missing: [] })
  server.child.kill('SIGTERM')
  await server.ended

  const restored = await seine('restore', 'one.tar', '--data', 'again')
  expect([restored.code, restored.stderr]).toEqual([0, ''])
  expect(restored.stdout).toMatch(/^The deployment of \S+ is here: \d+ records and \d+ blobs?$/m)
  expect(restored.stdout).toContain('Everything agrees.')
  expect((await seine('restore', 'copy', '--data', 'third')).code).toBe(0)

  const next = startCommand(
    [
      'serve',
      '--port',
      '0',
      '--data',
      'again',
      '--key',
      'svc_sk_canary7',
      '--allow-private-network',
    ],
    folder.path,
  )
  const [, nextUrl = ''] = await next.until('stdout', /(http:\/\/\S+?)\/?(?:\s|$)/)
  const statusOf = async (): Promise<string> => {
    const response = await fetch(`${nextUrl}/api/v1/executions/${run.id}`, {
      headers: { authorization: 'Bearer svc_sk_canary7' },
    })
    const { data }: ReturnType<typeof JSON.parse> = await response.json()
    return data.status
  }
  await expect.poll(statusOf, { interval: 200 }).toBe('succeeded')
  next.child.kill('SIGTERM')
  await next.ended
  expect((await seine('verify', '--data', 'again')).code).toBe(0)
})

test('a cut or damaged file is a clear error, and the target stays empty', async () => {
  const whole = readFileSync(join(folder.path, 'one.tar'))
  writeFileSync(join(folder.path, 'cut.tar'), whole)
  truncateSync(join(folder.path, 'cut.tar'), whole.length >> 1)
  const cut = await seine('restore', 'cut.tar', '--data', 'none')
  expect(cut.code).toBe(1)
  expect(cut.stderr).toMatch(
    /^seine: The backup cannot be restored: manifest\.json, which is written last, is missing.*\n$/,
  )
  const damaged = Buffer.from(whole)
  damaged.write('X', damaged.indexOf('"sku"') === -1 ? 700 : damaged.indexOf('"sku"'))
  writeFileSync(join(folder.path, 'damaged.tar'), damaged)
  const refused = await seine('restore', 'damaged.tar', '--data', 'none')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/ is not as it was written\. Nothing was written/)
  expect((await seine('restore', 'one.tar', '--data', 'none')).code).toBe(0)
})

test('an error of wrong use says what is wrong', async () => {
  for (const [args, message] of [
    [['backup'], 'seine backup needs where the backup goes'],
    [['backup', 'x.tar', '--data', 'nowhere'], 'There is no store in nowhere'],
    [['backup', 'one.tar', '--data', 'live'], 'one.tar is there already'],
    [['backup', 'x.tar', '--data', 'live', '--account', 'no'], 'There is no account no'],
    [['backup', 'x.tar', '--data', ':memory:'], ''],
    [['restore', 'one.tar', '--data', 'live'], 'The store is not empty'],
    [['restore', 'nothing.tar', '--data', 'new'], 'There is no backup nothing.tar'],
    [['erase', 'default', '--data', 'live'], 'Add --yes to go on'],
  ] as const) {
    const { code, stderr } = await seine(...args)
    expect([args, code === 0]).toEqual([args, false])
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/ at .*\.js:/)
  }
  expect(readdirSync(folder.path)).not.toContain('x.tar')
})

test('an account is exported, erased to the last byte, and imported again', async () => {
  const { path } = folder
  expect(bytesBelow(join(path, 'again')).includes('canary7')).toBe(true)
  const backup = await seine('backup', 'account.tar', '--data', 'again', '--account', 'default')
  expect([backup.code, backup.stderr]).toEqual([0, ''])
  const erased = await seine('erase', 'default', '--yes', '--data', 'again')
  expect([erased.code, erased.stderr]).toEqual([0, ''])
  expect(erased.stdout).toMatch(/^\d+ records and \d+ blobs? of default are erased$/m)
  expect(await seine('erase', 'default', '--yes', '--data', 'again')).toMatchObject({
    code: 0,
    stderr: 'Nothing is stored of default: seine accounts list has all names\n',
  })
  const left = bytesBelow(join(path, 'again'))
  for (const word of ['canary7', 'default', new URL(shop.url).host])
    expect([word, left.includes(word)]).toEqual([word, false])
  expect((await seine('runs', '--data', 'again', '--json')).stdout.trim()).toBe('')
  const back = await seine('restore', 'account.tar', '--data', 'again')
  expect([back.code, back.stderr]).toEqual([0, ''])
  expect(back.stdout).toContain('The account default of ')
  expect((await seine('runs', '--data', 'again', '--json')).stdout).toContain('succeeded')
  expect(statSync(join(path, 'account.tar')).mode & 0o077).toBe(0)
})
