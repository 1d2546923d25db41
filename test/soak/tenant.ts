import { createApi, member, PREVIEW_PAUSE_MS, textOf } from './api.ts'
import type { Answer, Api } from './api.ts'
import type { Sample } from './figures.ts'
import { waitedClock } from './waited.ts'

// An honest tenant as a separate process, which makes a few calls in each second. Its first message
// names the server, and it sends the duration of each call to its parent.

interface Work {
  readonly url: string
  readonly shop: string
  readonly key: string
  /** Each with an account of its own, so that no daily quota of previews ends the work. */
  readonly previewKeys: readonly string[]
  /** A task is deleted after its run. Otherwise its account is full after 10,000 of them. */
  readonly deletesTasks: boolean
}

const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'timed_out'])
const fields = { name: 'h2', price: { css: '.price', as: 'number' } }
const recipeOf = (urls: readonly string[]) => ({
  start: { urls },
  extract: { items: '.card', fields },
})
const waited = waitedClock()
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function report(kind: string, began: number, ms: number, error: string | null): void {
  const sample: Sample = { kind, at: began, ms, error }
  process.send?.(sample)
}

/**
 * One call as a sample. Anything but a success is a failure: an honest tenant asks for nothing
 * wrong.
 */
async function timed(kind: string, call: () => Promise<Answer>): Promise<Answer> {
  const [began, before] = [Date.now(), waited()]
  const answer = await call()
  report(
    kind,
    began,
    Math.max(0, answer.ms - (waited() - before)),
    answer.status >= 200 && answer.status < 300 ? null : `${answer.status} ${answer.error ?? ''}`,
  )
  return answer
}

/** Runs a task to its end; the sample is the time from the start to the end that the API shows. */
async function execute(api: Api, kind: string, task: string, rows: number): Promise<string> {
  const began = Date.now()
  const started = await timed('start execution', () =>
    api(`/api/v1/tasks/${task}/executions`, { method: 'POST' }),
  )
  const id = textOf(member(started.data, 'id'))
  if (id === '') return ''
  for (;;) {
    await pause(50)
    const read = await timed('read execution', () => api(`/api/v1/executions/${id}`))
    const status = textOf(member(read.data, 'status'))
    if (read.status === 0)
      return (report(kind, began, Date.now() - began, 'the server went away'), '')
    if (!ENDED.has(status)) continue
    const stored = member(member(read.data, 'counters'), 'rows')
    report(
      kind,
      began,
      Date.now() - began,
      status === 'succeeded' && stored === rows ? null : `${status} with ${String(stored)} rows`,
    )
    return id
  }
}

async function runTasks({ url, shop, key, deletesTasks }: Work): Promise<never> {
  const api = createApi(url, key)
  const one = recipeOf([`${shop}/shop/1`])
  const twenty = recipeOf([`${shop}/shop/{1..20}`])
  for (let turn = 0; ; turn++) {
    const isLong = turn % 3 === 2
    const body = { name: `Honest ${turn}`, recipe: isLong ? twenty : one }
    const created = await timed('create task', () => api('/api/v1/tasks', { method: 'POST', body }))
    const task = textOf(member(created.data, 'id'))
    const id =
      task === ''
        ? ''
        : await execute(api, isLong ? '20-page run' : '1-page run', task, isLong ? 200 : 10)
    if (id !== '') {
      await timed('results', () => api(`/api/v1/executions/${id}/results?limit=100`))
      await timed('export', () => api(`/api/v1/executions/${id}/results/export?format=csv`))
      if (deletesTasks)
        await timed('delete task', () => api(`/api/v1/tasks/${task}`, { method: 'DELETE' }))
    }
    await pause(id === '' ? 250 : 50)
  }
}

async function runPreviews({ url, shop, previewKeys }: Work): Promise<never> {
  const apis = previewKeys.map((key) => createApi(url, key))
  for (let turn = 0; ; turn++) {
    const api = apis[turn % apis.length]
    const body = { recipe: recipeOf([`${shop}/shop/${(turn % 20) + 1}`]) }
    if (api) await timed('preview', () => api('/api/v1/tasks/preview', { method: 'POST', body }))
    await pause(PREVIEW_PAUSE_MS)
  }
}

/**
 * At its times, whatever became of the calls before: a server that is held for ten seconds shows in
 * a hundred samples and not in one.
 */
function runReads({ url, key }: Work): void {
  const api = createApi(url, key)
  const open = createApi(url, null)
  setInterval(() => void timed('public GET', () => open('/api/v1/templates/article')), 100)
  setInterval(() => void timed('list tasks', () => api('/api/v1/tasks?limit=10')), 500)
}

function isWork(value: unknown): value is Work {
  return typeof value === 'object' && value !== null && 'url' in value && 'previewKeys' in value
}

process.once('message', (work) => {
  if (!isWork(work)) throw new TypeError('The first message says where to work')
  void runTasks(work)
  void runPreviews(work)
  runReads(work)
})
process.on('disconnect', () => process.exit())
