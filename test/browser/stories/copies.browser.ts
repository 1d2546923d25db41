import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../../support/command.ts'
import { root } from '../../support/sources/sources.ts'
import type { Visit } from '../chromium.ts'
import { fillWorld, KEY, openConsoleWorld, openScreen, openSignedIn } from '../console-world.ts'
import type { ConsoleWorld } from '../console-world.ts'

// Proves that the calls in "do the same from a program" work: each form is written into a file
// unchanged, and run.

const run = promisify(execFile)
let world: ConsoleWorld
let visit: Visit
let screens: ReadonlyMap<string, string>
let folder: ReturnType<typeof temporaryFolder>

/** As much of Python's `requests` as the calls use: it is not in every Python. */
const REQUESTS = `import json as j, urllib.request as u
class Answer:
    def __init__(self, text): self.text = text
    def raise_for_status(self): pass
    def json(self): return j.loads(self.text)
def send(method, url, headers={}, json=None):
    body = None if json is None else j.dumps(json).encode()
    headers = {**headers, **({} if body is None else {'Content-Type': 'application/json'})}
    return Answer(u.urlopen(u.Request(url, body, headers, method=method)).read())
def get(url, **rest): return send('GET', url, **rest)
def post(url, **rest): return send('POST', url, **rest)
`

beforeAll(async () => {
  // One run after the other is begun here, by each form.
  world = await openConsoleWorld({ flags: ['--no-rate-limit'] })
  screens = await fillWorld(world)
  const { client, shop } = world
  const single = await client.executions.run({
    recipe: { start: { urls: [`${shop.url}/prices`] }, extract: { fields: { name: 'b' } } },
  })
  await client.executions.wait(single.id)
  screens = new Map([
    ...screens,
    ['single', `/run?id=${single.id}`],
    ['about', `/run?id=${single.id}&tab=about`],
  ])
  visit = await openSignedIn(world.url)
  visit.page.setDefaultTimeout(15_000)
  folder = temporaryFolder()
  mkdirSync(join(folder.path, 'node_modules'))
  symlinkSync(root, join(folder.path, 'node_modules/seine'))
  writeFileSync(join(folder.path, 'requests.py'), REQUESTS)
  writeFileSync(
    join(folder.path, 'seine'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'dist/command/main.js')}' "$@"\n`,
    { mode: 0o755 },
  )
})
afterAll(async () => {
  await visit.close()
  await world.close()
  folder.remove()
})

const withKey = (text: string) => text.replaceAll('YOUR_KEY', KEY)

/** Runs a form, and returns what it writes. */
async function outputOf(name: string, text: string): Promise<string> {
  const files: Readonly<Record<string, readonly [file: string, command: string]>> = {
    curl: ['call.sh', 'sh'],
    CLI: ['call.sh', 'sh'],
    TypeScript: ['call.mts', process.execPath],
    Python: ['call.py', 'python3'],
  }
  const [file, command] = files[name] ?? []
  if (file === undefined || command === undefined) throw new Error(`Nobody runs ${name}`)
  writeFileSync(join(folder.path, file), withKey(text))
  const { PATH, HOME } = process.env
  const { stdout } = await run(command, [file], {
    cwd: folder.path,
    env: { PATH: `${folder.path}:${PATH}`, HOME, SEINE_KEY: KEY, PYTHONPATH: folder.path },
  })
  return stdout
}

/** The forms on screen, by name. */
async function formsShown(): Promise<ReadonlyMap<string, string>> {
  const { page } = visit
  await page.getByText('Do the same from a program').first().click()
  const names = await page.locator('.copies h3').allTextContents()
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const text = await page.getByRole('region', { name, exact: true }).first().textContent()
        return [name, text ?? ''] as const
      }),
    ),
  )
}

it.each(['run', 'single', 'about', 'dataset', 'tasks', 'usage', 'templates'])(
  'each form of the call of the screen %s runs',
  async (name) => {
    await openScreen(visit.page, world.url + (screens.get(name) ?? ''))
    const forms = await formsShown()
    // The tool of agents reads no run of a task.
    const hasTool = ['single', 'about', 'templates'].includes(name)
    expect([...forms.keys()]).toEqual([
      'curl',
      'TypeScript',
      'Python',
      'CLI',
      ...(hasTool ? ['MCP'] : []),
    ])
    for (const [form, text] of forms) {
      if (form === 'MCP') {
        const { method, params } = JSON.parse(text)
        expect(method).toBe('tools/call')
        const { result } = await world.client.mcp.call({
          tool: params.name,
          arguments: params.arguments,
        })
        expect([form, result]).toEqual([form, expect.any(Object)])
      } else if (form === 'curl') {
        expect(JSON.parse(await outputOf(form, text)).data).toEqual(expect.any(Object))
      } else expect([form, (await outputOf(form, text)).trim()]).not.toEqual([form, ''])
    }
  },
)

it('a recipe with texts that shells and languages read in their own way is run by each form', async () => {
  const { page } = visit
  const recipe = {
    start: { urls: [`${world.shop.url}/prices`] },
    extract: {
      items: 'li',
      fields: {
        "it's": 'b',
        price: { css: 'i', as: 'number' as const },
        odd: { const: '\'\'\' """ \\ \\u0027 $HOME `id` ${x} \n END\nEND' },
      },
    },
  }
  const task = await world.client.tasks.create({ name: 'Odd', recipe })
  await openScreen(page, `${world.url}/task?id=${task.id}`)
  const forms = await formsShown()
  expect([...forms.keys()]).toEqual(['curl', 'TypeScript', 'Python', 'CLI', 'JSON'])
  expect(JSON.parse(forms.get('JSON') ?? '')).toEqual(task.recipe)
  const before = new Set(
    (await world.client.executions.list({ limit: 100 })).items.map(({ id }) => id),
  )
  for (const form of ['curl', 'TypeScript', 'Python']) await outputOf(form, forms.get(form) ?? '')
  const runs = (await world.client.executions.list({ limit: 100 })).items.filter(
    ({ id }) => !before.has(id),
  )
  expect(runs).toHaveLength(3)
  for (const { id } of runs) {
    await world.client.executions.wait(id)
    const { items } = await world.client.results.list(id, { limit: 1 })
    expect(items[0]).toMatchObject({ odd: recipe.extract.fields.odd.const })
  }
})
