import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPlatform } from 'seine'
import type { PlatformOptions } from 'seine'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startShop } from '../../examples/demo/shop.ts'
import type { Shop } from '../../examples/demo/shop.ts'
import { openChromium } from '../browser/chromium.ts'
import { signIn } from '../browser/console-world.ts'
import { BUN } from './hosts.ts'
import { HostProject } from './project.ts'
import { OWNER } from './seed.ts'
import { startHost } from './start-host.ts'
import { startWorker } from './start-worker.ts'

// Proves in a real browser that the console works on the runtimes that are not Node: a person comes
// from an address to rows, below the path where a host mounts it. The hosts are the examples with
// the options that turn it on.

interface ConsoleHost {
  readonly url: string
  /** A key with all scopes. */
  readonly key: string
  /** Does what a host's next trigger would do. */
  work(): Promise<void>
  close(): Promise<void>
}

const MOUNT = "basePath: '/data',"

let project: HostProject
let shop: Shop

beforeAll(async () => {
  project = await HostProject.create()
  shop = await startShop()
})
afterAll(async () => {
  await shop.close()
  await project.remove()
})

/** An example with the option that turns the console on, in a folder of its own. */
async function withConsole(file: string, option: string, imports = ''): Promise<string> {
  const folder = await project.add(`console-${file}`, null)
  const example = await readFile(join(folder, file), 'utf8')
  const [before = '', after, ...more] = example.split(MOUNT)
  if (after === undefined || more.length > 0) throw new Error(`${file} is mounted in another way`)
  const options = `${MOUNT} console: ${option}, allowPrivateNetwork: true,`
  await writeFile(join(folder, file), imports + before + options + after)
  return folder
}

async function makeKey(options: PlatformOptions): Promise<string> {
  const platform = createPlatform(options)
  const { secret } = await platform.api.keys.create(OWNER, { name: 'console', scopes: ['*'] })
  await platform.close()
  return secret
}

async function openBun(): Promise<ConsoleHost> {
  const folder = await withConsole('bun.ts', 'true')
  const key = await makeKey({
    store: createSqliteStore({ path: join(folder, 'seine.db') }),
    blobs: createFileBlobs({ dir: join(folder, 'seine-blobs') }),
  })
  const host = await startHost({ file: 'bun.ts', command: BUN }, folder)
  return {
    key,
    url: host.url,
    work: async () => {},
    async close() {
      host.terminate()
      expect(await host.ended).toEqual({ code: 0, stderr: '' })
    },
  }
}

async function openWorker(): Promise<ConsoleHost> {
  const folder = await withConsole(
    'cloudflare.ts',
    'createConsole()',
    "import { createConsole } from 'seine/console'\n",
  )
  const worker = await startWorker(folder, project.folder)
  return {
    key: await makeKey(await worker.open()),
    url: worker.url,
    work: worker.trigger,
    close: worker.close,
  }
}

it.each([
  ['Bun', openBun],
  ['workerd', openWorker],
])('on %s a person comes from an address to rows', async (_, open) => {
  const host = await open()
  const visit = await openChromium({ viewport: { width: 1280, height: 900 } })
  const { page, requests, complaints } = visit
  page.setDefaultTimeout(20_000)
  try {
    await signIn(page, `${host.url}/data/console`, host.key)
    // The browser tells of the 401 before the key.
    complaints.splice(0)
    await page.getByLabel('Address of a page').fill(`${shop.url}/category/pens`)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Choose rows and columns' }).click()
    await page.frameLocator('iframe').locator('.product-link').first().waitFor()
    await page.getByLabel('Name of the task').fill('Pens')
    await page.getByRole('button', { name: 'Run now' }).click()
    // The run is there now: a worker that is started once would not see a later one.
    await page.getByRole('link', { name: 'Watch it' }).click()
    await host.work()
    await page.getByText('done', { exact: true }).waitFor()
    await page.getByRole('gridcell', { name: 'Fountain pen in brass' }).waitFor()
    await page.getByRole('link', { name: 'Tasks' }).click()
    await page.getByRole('link', { name: 'Pens' }).waitFor()
    // Everything comes from below the mount path.
    expect(requests.filter((url) => !url.startsWith(`${host.url}/data/`))).toEqual([])
    expect(complaints).toEqual([])
  } finally {
    await visit.close()
    await host.close()
  }
})
