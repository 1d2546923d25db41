import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startScript, temporaryFolder } from '../support/command.ts'
import { requireBuild } from '../support/sources/dist.ts'
import { root } from '../support/sources/sources.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeAll(() => {
  requireBuild()
  folder = temporaryFolder()
})
afterAll(() => folder.remove())

const demo = (...args: string[]) =>
  startScript([join(root, 'examples/demo/main.ts'), ...args], folder.path)

test('--once crawls the shop into a file, and can be repeated in the same folder', async () => {
  for (let run = 1; run <= 2; run++) {
    const { code, stdout, stderr } = await demo('--once', '--port', '0').ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/70 of 70 pages, 60 rows\n/)
    expect(stdout).toContain('NB-100  Pocket notebook in oatmeal linen')
    expect(stdout).toContain('All 60 rows are in demo.csv')
    const lines = readFileSync(join(folder.path, 'demo.csv'), 'utf8').trim().split('\r\n')
    expect(lines).toHaveLength(61)
    expect(lines[0]).toBe('sku,name,price,currency,rating,stock,category,description,image,url')
  }
  expect(existsSync(join(folder.path, '.seine/seine.db'))).toBe(true)
})

test('without --once the printed commands work until the demo is ended', async () => {
  const command = demo('--port', '0')
  await command.until('stdout', /Serving until Ctrl-C/)
  await command.until('stdout', /^docs http:\S+\/docs$/m)
  const { 1: key = '' } = await command.until('stdout', /KEY=(svc_sk_[\w-]+)/)
  const { 1: url = '' } = await command.until(
    'stdout',
    /"(http:\S+results\?limit=3&fields=name,price)"/,
  )
  const response = await fetch(url, { headers: { 'x-api-key': key } })
  expect(await response.json()).toMatchObject({
    success: true,
    data: { items: [{ name: 'Pocket notebook in oatmeal linen', price: 6 }, {}, {}] },
  })
  command.child.kill('SIGINT')
  expect((await command.ended).code).toBe(0)
})

test('a port in use is reported, and no file is left behind', async () => {
  const other = createServer()
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  const { code, stderr } = await demo('--once', '--port', port).ended
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `\nThe demo failed: Port ${port} is in use\n`,
  })
  other.close()
})
