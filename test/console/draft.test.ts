import { beforeEach, expect, test, vi } from 'vitest'
import { SeineError } from '../../src/client.ts'
import type { Preview, RecipeInput } from '../../src/client.ts'
import type * as Draft from '../../src/console/app/builder/draft.ts'
import { systemClock } from '../../src/defaults/system-clock.ts'
import { HOUR_MS } from '../../src/kernel/time.ts'

type Question = { readonly recipe: RecipeInput; readonly snapshots?: readonly string[] }

// The draft of a tab, on a server that answers when the test says so.
let builder: typeof Draft
/** Questions to the server, and how each is answered. */
let questions: {
  question: Question
  answer: (response: unknown) => void
  fail: (error: Error) => void
}[]
/** The calls that wait until typing has rested. */
let resting: (() => void)[] = []
let isServerThere = true
/** The recipe of each task on the server. */
const tasks = new Map<string, RecipeInput>()

const items = new Map<string, string>()

beforeEach(async () => {
  questions = []
  resting = []
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  })
  vi.stubGlobal('document', { querySelector: () => null })
  vi.stubGlobal('location', new URL('http://console.example/'))
  isServerThere = true
  vi.stubGlobal('fetch', async () => {
    if (!isServerThere) throw new TypeError('fetch failed')
    return new Response('{}')
  })
  vi.spyOn(systemClock, 'sleep').mockImplementation(
    (_ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', reject)
        resting.push(resolve)
      }),
  )
  builder = await import('../../src/console/app/builder/draft.ts')
  const { client } = await import('../../src/console/app/session.ts')
  vi.spyOn(client.value.previews, 'recipe').mockImplementation(
    (question: unknown) =>
      new Promise((resolve, reject) => {
        questions.push({
          question: question as Question,
          answer: resolve as (response: unknown) => void,
          fail: reject,
        })
      }),
  )
  tasks.clear()
  vi.spyOn(client.value.tasks, 'get').mockImplementation(async (id) => {
    const recipe = tasks.get(id)
    if (recipe === undefined) throw new SeineError('not_found', 'gone', { status: 404 })
    return JSON.parse(JSON.stringify({ id, recipe }))
  })
})

const recipeOf = (url: string, fields: Record<string, string> = { name: 'h1' }): RecipeInput => ({
  start: { urls: [url] },
  extract: { fields },
})

/** A preview of one page, which is kept under an id. */
const previewOf = (url: string, snapshot: string): Partial<Preview> =>
  JSON.parse(
    JSON.stringify({
      pages: [{ url, snapshot, label: 'start' }],
      proposal: { recipe: recipeOf(url) },
      rows: [],
    }),
  )

/** Lets what was answered go on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Typing rests, so the table is asked for. */
async function rest(): Promise<void> {
  for (const go of resting.splice(0)) go()
  await settle()
}

test('the answer for a page that was left for another one is void', async () => {
  const first = builder.begin('https://a.example/')
  const second = builder.begin('https://b.example/')
  questions[1]?.answer(previewOf('https://b.example/', 'b'))
  await second
  questions[0]?.answer(previewOf('https://a.example/', 'a'))
  await first
  expect(builder.draft.value).toMatchObject({ url: 'https://b.example/', snapshot: 'b' })
  const third = builder.begin('https://c.example/')
  builder.forgo()
  questions[2]?.fail(new Error('c is down'))
  await third
  expect([builder.problem.value, builder.failure.value]).toEqual([null, null])
})

test('a page that does not answer takes the place of no draft but an empty one', async () => {
  const [url, other] = ['https://a.example/', 'https://b.example/']
  builder.take(url, previewOf(url, 'a') as Preview)
  builder.change(recipeOf(url, { price: 'b' }))
  await rest()
  questions[0]?.fail(new SeineError('validation_failed', 'no b', { status: 400 }))
  await settle()
  const before = builder.draft.value
  const next = builder.begin(other)
  questions[1]?.fail(new SeineError('bad_gateway', 'b is down', { status: 502 }))
  await next
  expect(builder.draft.value).toBe(before)
  expect(builder.canUndo.value).toBe(true)
  expect(builder.problem.value?.message).toBe('no b')
  expect(builder.failure.value?.message).toBe('b is down')
  const again = builder.begin(other)
  expect(builder.failure.value).toBeNull()
  questions[2]?.answer(previewOf(other, 'b'))
  await again
  expect(builder.draft.value).toMatchObject({ url: other, snapshot: 'b' })
  expect(builder.problem.value).toBeNull()
  builder.draft.value = null
  const first = builder.begin(url)
  questions[3]?.fail(new SeineError('bad_gateway', 'a is down', { status: 502 }))
  await first
  expect(builder.draft.value).toMatchObject({ url, snapshot: null, pages: [] })
  expect(builder.problem.value?.message).toBe('a is down')
  expect(builder.failure.value).toBeNull()
})

test('a page is begun while the table of another one is asked for', async () => {
  builder.take('https://a.example/', previewOf('https://a.example/', 'a') as Preview)
  const next = builder.begin('https://b.example/')
  await rest()
  expect(questions[1]?.question.snapshots).toEqual(['a'])
  questions[0]?.answer(previewOf('https://b.example/', 'b'))
  await next
  expect(builder.draft.value).toMatchObject({ url: 'https://b.example/', snapshot: 'b' })
})

const gone = () => new SeineError('not_found', 'gone', { status: 404 })

test('edits stay while pages that are no longer kept are fetched again', async () => {
  const url = 'https://a.example/'
  builder.take(url, previewOf(url, 'old') as Preview)
  builder.change(recipeOf(url, { name: 'h1', price: 'b' }))
  await rest()
  questions[0]?.fail(gone())
  await settle()
  expect(questions[1]?.question).toMatchObject({ keep: true })
  const edited = recipeOf(url, { name: 'h1', price: 'b', sku: 'i' })
  builder.change(edited)
  await rest()
  questions[2]?.fail(gone())
  await settle()
  // The pages are fetched once.
  expect(questions).toHaveLength(3)
  questions[1]?.answer(previewOf(url, 'new'))
  await settle()
  expect(builder.draft.value).toMatchObject({ recipe: edited, snapshot: 'new', isProposed: false })
  await rest()
  expect(questions[3]?.question).toEqual({ recipe: edited, snapshots: ['new'] })
  builder.undo()
  expect(builder.draft.value?.recipe).toEqual(recipeOf(url, { name: 'h1', price: 'b' }))
  builder.undo()
  expect(builder.draft.value?.recipe).toEqual(recipeOf(url))
})

test('pages that cannot be fetched again for a recipe are fetched for the edited one', async () => {
  const url = 'https://a.example/'
  builder.take(url, previewOf(url, 'old') as Preview)
  builder.change(recipeOf(url, { price: '[' }))
  await rest()
  questions[0]?.fail(gone())
  await settle()
  const edited = recipeOf(url, { price: 'b' })
  builder.change(edited)
  await rest()
  questions[2]?.fail(gone())
  questions[1]?.fail(new Error('no selector'))
  await settle()
  expect(builder.problem.value).toBeNull()
  questions[3]?.fail(gone())
  await settle()
  expect(questions[4]?.question).toEqual({ recipe: edited, keep: true })
  questions[4]?.fail(new SeineError('validation_failed', 'is down', { status: 400 }))
  await settle()
  expect(builder.problem.value?.message).toBe('is down')
  expect(builder.draft.value).toMatchObject({ recipe: edited, snapshot: 'old' })
})

test('a task that cannot be shown is edited with its own recipe, and its page asked for again', async () => {
  const url = 'https://task.example/'
  const recipe = recipeOf(url, { name: 'h1', price: 'b' })
  tasks.set('task_1', recipe)
  builder.take('https://a.example/', previewOf('https://a.example/', 'a') as Preview)
  const begun = builder.begin(url, 'task_1')
  await settle()
  questions[0]?.fail(new SeineError('too_many_requests', 'Wait until tomorrow', { status: 429 }))
  await begun
  expect(builder.problem.value?.message).toBe('Wait until tomorrow')
  expect(builder.draft.value).toEqual({
    url,
    recipe,
    isProposed: false,
    snapshot: null,
    pages: [],
    task: 'task_1',
    saved: JSON.stringify(recipe),
  })
  expect(builder.preview.value).toBeNull()
  const again = builder.visit(recipe, 'start')
  expect(questions[1]?.question).toEqual({ recipe, keep: true })
  questions[1]?.answer({ ...previewOf(url, 'now'), proposal: null })
  await again
  expect(builder.problem.value).toBeNull()
  expect(builder.draft.value).toMatchObject({ recipe, snapshot: 'now', isProposed: false })
})

test('a task whose recipe cannot be read is not begun without it', async () => {
  const before = builder.draft.value
  await builder.begin('https://b.example/', 'task_of_nobody')
  expect(questions).toHaveLength(0)
  expect(builder.draft.value).toBe(before)
  expect(builder.failure.value?.message).toBe('gone')
  // It is there when it is asked for again.
  tasks.set('task_of_nobody', recipeOf('https://b.example/'))
  const again = builder.begin('https://b.example/', 'task_of_nobody')
  await settle()
  questions[0]?.answer(previewOf('https://b.example/', 'b'))
  await again
  expect(builder.draft.value?.task).toBe('task_of_nobody')
  expect(builder.failure.value).toBeNull()
})

test('a draft is of its page and its task, and is saved as one task', () => {
  const url = 'https://a.example/'
  const task = (id: string) => ({ id, recipe: JSON.parse(JSON.stringify(recipeOf(url))) })
  const isOf = (page: string, id: string | null) => builder.isDraftOf(builder.draft.value, page, id)
  builder.take(url, previewOf(url, 'a') as Preview)
  expect([isOf(url, null), isOf(url, 'task_1'), isOf('https://b.example/', null)]).toEqual([
    true,
    false,
    false,
  ])
  expect(builder.assignTask('https://b.example/', task('task_1'))).toBe(false)
  expect(builder.assignTask(url, task('task_1'))).toBe(true)
  expect([isOf(url, null), isOf(url, 'task_1'), isOf(url, 'task_2')]).toEqual([true, true, false])
  expect(builder.assignTask(url, task('task_2'))).toBe(false)
  builder.take(url, previewOf(url, 'b') as Preview)
  expect(isOf(url, 'task_1')).toBe(false)
})

test('a draft whose task has another recipe by now is dropped when the task is edited', async () => {
  const url = 'https://task.example/'
  const task = (recipe: RecipeInput) => ({
    id: 'task_1',
    recipe: JSON.parse(JSON.stringify(recipe)),
  })
  const first = task(recipeOf(url))
  tasks.set('task_1', first.recipe)
  const begun = builder.begin(url, 'task_1')
  await settle()
  questions[0]?.answer(previewOf(url, 'a'))
  await begun
  builder.change(recipeOf(url, { price: 'b' }))
  const edited = builder.draft.value
  builder.dropOutdated(first)
  builder.dropOutdated({ ...task(recipeOf(url, { other: 'i' })), id: 'task_2' })
  expect(builder.draft.value).toBe(edited)
  const saved = task(recipeOf(url, { price: 'b' }))
  expect(builder.isChangedElsewhere(edited, task(recipeOf(url, { other: 'i' })))).toBe(true)
  expect(builder.isChangedElsewhere(edited, saved)).toBe(true)
  // The answer to a save may be lost, and the draft be edited then.
  builder.noteSave(saved.recipe)
  expect(builder.isChangedElsewhere(edited, saved)).toBe(false)
  expect(builder.assignTask(url, saved)).toBe(true)
  expect(builder.isChangedElsewhere(builder.draft.value, saved)).toBe(false)
  builder.dropOutdated(first)
  expect(builder.draft.value).toBeNull()
})

test('a visit goes on when the address of its draft changes', async () => {
  const url = 'https://a.example/'
  builder.take(url, previewOf(url, 'a') as Preview)
  const visit = builder.visit(recipeOf(url), 'start')
  builder.forgo()
  questions[0]?.answer({ ...previewOf(url, 'new'), proposal: null })
  await visit
  expect(builder.draft.value?.snapshot).toBe('new')
})

test('an edit during a visit stays, with the pages that were visited', async () => {
  const url = 'https://a.example/'
  const before = recipeOf(url)
  builder.take(url, previewOf(url, 'old') as Preview, { recipe: before })
  const follow = [{ next: 'a.more' }]
  const visited: RecipeInput = { ...before, page: { render: 'browser' }, follow }
  const visit = builder.visit(visited, 'start')
  const edited = recipeOf(url, { name: 'h1', price: 'b' })
  builder.change(edited)
  questions[0]?.answer(previewOf(url, 'new'))
  await visit
  expect(builder.draft.value).toMatchObject({
    recipe: { ...edited, page: { render: 'browser' }, follow },
    snapshot: 'new',
    isProposed: false,
  })
  builder.undo()
  expect(builder.draft.value?.recipe).toEqual(edited)
  const free = builder.visit({ ...edited, extract: 'auto', page: { render: 'http' } }, 'start')
  const again = recipeOf(url, { sku: 'i' })
  builder.change(again)
  questions[1]?.answer(previewOf(url, 'newer'))
  await free
  expect(builder.draft.value?.recipe).toEqual({ ...again, page: { render: 'http' } })
})

test('an edit during a visit stays, without what the visit or the edit took out', async () => {
  const url = 'https://a.example/'
  const page = { render: 'browser' } as const
  const follow = [{ next: 'a.more' }]
  builder.take(url, previewOf(url, 'old') as Preview, {
    recipe: { ...recipeOf(url), page, follow },
  })
  const before = builder.draft.value?.recipe ?? recipeOf(url)
  const { page: _, ...visited } = before
  const visit = builder.visit(visited, 'start')
  const edited = recipeOf(url, { price: 'b' })
  builder.change({ ...edited, page })
  questions[0]?.answer(previewOf(url, 'new'))
  await visit
  expect(builder.draft.value?.recipe).toEqual(edited)
  builder.change({ ...edited, follow })
  const other = builder.visit({ ...edited }, 'start')
  builder.change({ ...recipeOf(url, { sku: 'i' }), follow })
  questions[1]?.answer(previewOf(url, 'newer'))
  await other
  expect(builder.draft.value?.recipe).toEqual(recipeOf(url, { sku: 'i' }))
})

test('an error of a page that was left is not shown on another one', async () => {
  const url = 'https://a.example/'
  builder.take(url, previewOf(url, 'a') as Preview)
  const visit = builder.visit(recipeOf(url), 'start')
  builder.take('https://b.example/', previewOf('https://b.example/', 'b') as Preview)
  questions[0]?.fail(new Error('a is down'))
  await visit
  expect([builder.problem.value, builder.isVisiting.value]).toEqual([null, false])
})

test('pages that are gone, and that their site no longer gives, leave a reason', async () => {
  const url = 'https://a.example/'
  builder.take(url, previewOf(url, 'old') as Preview)
  builder.change(recipeOf(url, { price: 'b' }))
  await rest()
  questions[0]?.fail(gone())
  await settle()
  const answer = { pages: [{ url, label: 'start', reason: { message: 'The site is down' } }] }
  questions[1]?.answer({ ...answer, rows: [] })
  await settle()
  expect(builder.draft.value).toMatchObject({ snapshot: null, pages: [] })
  expect(builder.preview.value).toMatchObject(answer)
})

test('pages that are gone although they were just kept are not fetched again and again', async () => {
  const url = 'https://a.example/'
  builder.take(url, previewOf(url, 'old') as Preview)
  builder.change(recipeOf(url, { price: 'b' }))
  await rest()
  questions[0]?.fail(gone())
  await settle()
  questions[1]?.answer(previewOf(url, 'new'))
  await settle()
  await rest()
  expect(questions[2]?.question.snapshots).toEqual(['new'])
  questions[2]?.fail(gone())
  await settle()
  expect(questions).toHaveLength(3)
  expect(builder.problem.value?.message).toBe('gone')
  // Pages that gave a table are fetched again when they are gone.
  builder.change(recipeOf(url, { sku: 'i' }))
  await rest()
  questions[3]?.answer({ ...previewOf(url, 'new'), proposal: null })
  await settle()
  builder.change(recipeOf(url, { sku: 'em' }))
  await rest()
  questions[4]?.fail(gone())
  await settle()
  expect(questions[5]?.question).toMatchObject({ keep: true })
})

test('pages that were fetched for a refused recipe are fetched again when their hour is over', async () => {
  const url = 'https://a.example/'
  let now = 1_000_000
  vi.spyOn(systemClock, 'now').mockImplementation(() => now)
  builder.take(url, previewOf(url, 'old') as Preview)
  builder.change(recipeOf(url, { price: '[' }))
  await rest()
  questions[0]?.fail(gone())
  await settle()
  questions[1]?.answer(previewOf(url, 'new'))
  await settle()
  await rest()
  questions[2]?.fail(new SeineError('validation_failed', 'no selector', { status: 400 }))
  await settle()
  now += HOUR_MS - 1
  builder.change(recipeOf(url, { price: 'b' }))
  await rest()
  questions[3]?.fail(gone())
  await settle()
  expect(questions).toHaveLength(4)
  expect(builder.problem.value?.message).toBe('gone')
  now += 1
  builder.change(recipeOf(url, { price: 'i' }))
  await rest()
  questions[4]?.fail(gone())
  await settle()
  expect(questions[5]?.question).toMatchObject({ keep: true })
})

test('a request without an answer is repeated once the server is back', async () => {
  const { watchServer } = await import('../../src/console/app/away.ts')
  void watchServer()
  const url = 'https://away.example/'
  isServerThere = false
  const away = new SeineError('NETWORK_ERROR', 'fetch failed')
  const beginning = builder.begin(url)
  questions[0]?.fail(away)
  await beginning
  expect(builder.failure.value?.message).toMatch(/does not answer/)
  await rest()
  expect(questions).toHaveLength(1)
  isServerThere = true
  await rest()
  questions[1]?.answer(previewOf(url, 'a'))
  await settle()
  expect(builder.draft.value).toMatchObject({ url, snapshot: 'a' })
  await rest()
  questions[2]?.answer(previewOf(url, 'a'))
  await settle()

  // A column is changed while the server is away.
  isServerThere = false
  builder.change(recipeOf(url, { price: '.price' }))
  await rest()
  questions[3]?.fail(away)
  await settle()
  expect(builder.problem.value?.message).toMatch(/does not answer/)
  isServerThere = true
  await rest()
  expect(questions[4]?.question).toEqual({
    recipe: recipeOf(url, { price: '.price' }),
    snapshots: ['a'],
  })
  questions[4]?.answer({ ...previewOf(url, 'a'), rows: [{ price: 1 }] })
  await settle()
  expect(builder.problem.value).toBeNull()
  expect(builder.preview.value?.rows).toEqual([{ price: 1 }])
})

test('pages are fetched again by themselves only if the server was away', async () => {
  const { watchServer } = await import('../../src/console/app/away.ts')
  void watchServer()
  const failures = [
    ...[502, 503, 504].map((status) => new SeineError('ANY', 'A proxy gave up', { status })),
    new SeineError('NETWORK_ERROR', 'fetch failed'),
  ]
  for (const [index, error] of failures.entries()) {
    // An answered request is not repeated, even if the server is away for a moment.
    isServerThere = error.status === 0
    const beginning = builder.begin('https://slow.example/')
    questions[index]?.fail(error)
    await beginning
    await rest()
    isServerThere = true
    await rest()
    await rest()
    expect(questions).toHaveLength(index + 1)
    const shown = builder.failure.value ?? builder.problem.value
    expect(shown?.message).not.toMatch(/may have been done/)
    expect(shown?.again).toBeTypeOf('function')
  }
  ;(builder.failure.value ?? builder.problem.value)?.again?.()
  expect(questions).toHaveLength(failures.length + 1)
})

test('a page that was left is not asked for when the server is back', async () => {
  const { watchServer } = await import('../../src/console/app/away.ts')
  void watchServer()
  isServerThere = false
  const beginning = builder.begin('https://left.example/')
  questions[0]?.fail(new SeineError('NETWORK_ERROR', 'fetch failed'))
  await beginning
  builder.forgo()
  isServerThere = true
  await rest()
  await rest()
  expect(questions).toHaveLength(1)
})
