import { beforeEach, expect, test, vi } from 'vitest'
import type { Client } from '../../src/client.ts'
import type * as SaveTask from '../../src/console/app/builder/save-task.ts'

/** The writes that reached the server: what each was, and its key. */
let writes: { readonly line: string; readonly body: string; readonly key: string | null }[] = []
let names: string[] = []
let reads: string[] = []
let attempt: () => Client
let saving: typeof SaveTask

beforeEach(async () => {
  writes = []
  names = []
  reads = []
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem() {}, removeItem() {} })
  vi.stubGlobal('document', { querySelector: () => null })
  vi.stubGlobal('location', new URL('http://console.example/'))
  vi.stubGlobal('fetch', async (request: Request) => {
    const line = `${request.method} ${new URL(request.url).pathname}`
    if (request.method === 'GET') {
      reads.push(new URL(request.url).searchParams.get('q') ?? '')
      const items = names.map((name, index) => ({ id: `task_${index}`, name }))
      return Response.json({ success: true, data: { items, hasMore: false, nextCursor: null } })
    }
    const key = request.headers.get('Idempotency-Key')
    writes.push({ line, body: await request.text(), key })
    return Response.json({ success: true, data: { id: 'task_1' } })
  })
  const session = await import('../../src/console/app/session.ts')
  attempt = session.attemptClient
  saving = await import('../../src/console/app/builder/save-task.ts')
  session.me.value = JSON.parse(JSON.stringify({ scopes: ['*'] }))
})

test('an attempt that is done again sends each write with its first key', async () => {
  const recipe = { start: { urls: ['https://shop.example/'] } }
  const first = attempt()
  for (const api of [first, first, attempt()]) {
    await api.tasks.create({ recipe, name: 'Lost' })
    await api.executions.start('task_1')
  }
  const [task, run, taskAgain, runAgain, otherTask, otherRun] = writes.map(({ key }) => key)
  expect([taskAgain, runAgain]).toEqual([task, run])
  expect(new Set([task, run, otherTask, otherRun]).size).toBe(4)
})

test('a new task has a free name, which its attempt keeps', async () => {
  names = ['Lost']
  const api = attempt()
  expect(await saving.freeName(api, 'Lost')).toBe('Lost (2)')
  // Its answer was lost, but the task is there.
  names = ['Lost', 'Lost (2)']
  expect(await saving.freeName(api, 'Lost')).toBe('Lost (2)')
  expect(await saving.freeName(attempt(), 'Lost')).toBe('Lost (3)')
})

test('a name of the most characters has room for its number, and no half of a character', async () => {
  const long = 'a'.repeat(200)
  names = [long]
  expect(await saving.freeName(attempt(), long)).toBe(`${'a'.repeat(196)} (2)`)
  const smiles = `${'a'.repeat(195)}😀😀😀`
  names = [smiles.slice(0, 199)]
  expect(saving.cutName(smiles)).toBe(`${'a'.repeat(195)}😀😀`)
  names = [saving.cutName(smiles)]
  expect(await saving.freeName(attempt(), smiles)).toBe(`${'a'.repeat(195)} (2)`)
})

test('a key that may not read tasks saves without a look at their names', async () => {
  const { me } = await import('../../src/console/app/session.ts')
  me.value = JSON.parse(JSON.stringify({ scopes: ['tasks:write', 'executions:write'] }))
  names = ['Lost']
  expect(await saving.freeName(attempt(), 'Lost')).toBe('Lost')
  expect(reads).toEqual([])
})
