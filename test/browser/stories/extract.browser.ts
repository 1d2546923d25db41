import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand, temporaryFolder } from '../../support/command.ts'
import { requireBuild } from '../../support/sources/dist.ts'
import { openScriptShop } from '../script-shop.ts'
import type { ScriptShop } from '../script-shop.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

let shop: ScriptShop
let folder: ReturnType<typeof temporaryFolder>
beforeAll(async () => {
  requireBuild()
  folder = temporaryFolder()
  shop = await openScriptShop()
})
afterAll(() => {
  shop.close()
  folder.remove()
})

const extract = (env: Readonly<Record<string, string>>, ...args: string[]) =>
  runCommand(
    ['extract', `${shop.origin}/pens`, ...args, '--allow-private-network'],
    folder.path,
    env,
  )

it('seine extract --render takes the rows that scripts write, detected or named', async () => {
  const without = await extract({})
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('--render')])
  const columns = ['--items', '.pen', '--field', 'name=b', '--field', 'price:number=.price']
  const named = await extract({}, '--render', '--browser', CHROMIUM, ...columns, '--json')
  expect(named).toMatchObject({ code: 0 })
  expect(named.stdout.split('\n')[0]).toBe('{"name":"Pen 1","price":3}')
  const detected = await extract({}, '--render', '--browser', CHROMIUM)
  expect(detected).toMatchObject({ code: 0, stdout: expect.stringContaining('Pen 3') })
})

it('--render alone finds the Chromium of the machine, and says what to do where there is none', async () => {
  // Playwright has its own browsers in this folder, where it has any.
  const own = { PLAYWRIGHT_BROWSERS_PATH: folder.path }
  const alone = await extract(own, '--render')
  expect(alone).toMatchObject({ code: 0, stdout: expect.stringContaining('Pen 3') })
  const none = await extract({ ...own, PATH: folder.path }, '--render')
  expect(none).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('of the command: --browser'),
  })
  const wrong = await extract({}, '--render', '--browser', '/no/chromium')
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--browser /no/chromium does not exist'),
  })
})

it('seine doctor starts the browser, and says what is wrong with one that does not start', async () => {
  const finding = async (...args: string[]) => {
    const { stdout } = await runCommand(['doctor', '--data', 'new', ...args], folder.path)
    return /^browser .*$/m.exec(stdout)?.[0]
  }
  expect(await finding('--browser', CHROMIUM, '--no-browser-sandbox')).toMatch(
    /^browser +ok +renders a page in \d+ ms$/,
  )
  expect(await finding('--browser', process.execPath)).toMatch(/^browser +wrong +\S/)
  expect(await finding()).toMatch(/^browser +note/)
})
