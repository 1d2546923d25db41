import { setTimeout as pause } from 'node:timers/promises'
import { createApi, itemsOf, member, textOf } from '../api.ts'
import type { Api } from '../api.ts'
import type { Sample } from '../figures.ts'
import { followToEnd } from './streams.ts'

// An account whose sites misbehave, as a process of its own: runs on the moody site, pages of
// scripts where there is a browser, and runs that are followed by streams which come and go. Each is
// a sample that says whether the right thing came of it.

/** The first message of the process. */
export interface CrowdWork {
  readonly url: string
  readonly site: string
  readonly shop: string
  readonly key: string
  readonly hasBrowser: boolean
}

const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'timed_out'])
const POLL_MS = 250
/** A run that takes longer hangs. One on a bad site takes 16 s alone, and minutes on a busy machine. */
const PATIENCE_MS = 300_000
/** Each mood with how many of its pages are fetched in the end. */
const MOODS = {
  good: 3,
  busy: 1,
  garbage: 1,
  drip: 1,
  error: 0,
  gone: 0,
  loop: 0,
  broken: 0,
  reset: 0,
  silent: 0,
  large: 0,
} as const
const FETCHED = Object.values(MOODS).reduce<number>((sum, count) => sum + count, 0)
const STREAMS = 2

function report(kind: string, began: number, error: string | null): void {
  const sample: Sample = { kind, at: began, ms: Date.now() - began, error }
  process.send?.(sample)
}

/** Resolves with the id; empty if the server refused. */
async function start(api: Api, recipe: object): Promise<string> {
  const { data } = await api('/api/v1/executions', { method: 'POST', body: { recipe } })
  return textOf(member(data, 'id'))
}

/** Resolves with the execution once it has ended; `null` if that takes too long. */
async function ended(api: Api, id: string): Promise<unknown> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await pause(POLL_MS)) {
    const { data } = await api(`/api/v1/executions/${id}`)
    if (ENDED.has(textOf(member(data, 'status')))) return data
  }
  return null
}

async function run(api: Api, kind: string, recipe: object, judge: (run: unknown) => string | null) {
  const began = Date.now()
  const id = await start(api, recipe)
  const execution = id === '' ? null : await ended(api, id)
  const why = id === '' ? 'was refused' : execution === null ? 'has not ended' : judge(execution)
  report(kind, began, why)
}

/** Sites that misbehave: what can be fetched is, and everything else has a reason. */
async function visitMoods({ url, site, key }: CrowdWork): Promise<never> {
  const api = createApi(url, key)
  for (let turn = 0; ; turn++) {
    const urls = Object.entries(MOODS).flatMap(([mood, count]) =>
      Array.from({ length: Math.max(1, count) }, (_, i) => `${site}/${mood}/${turn}-${i}`),
    )
    const recipe = {
      start: { urls },
      crawl: { robots: turn % 2 === 0, delayMs: 0 },
      page: { timeoutMs: 1_500 },
      extract: { fields: { title: 'h1' } },
    }
    await run(api, 'run on a bad site', recipe, (execution) => {
      const fetched = member(member(execution, 'counters'), 'fetched')
      return fetched === FETCHED ? null : `${String(fetched)} pages of ${FETCHED} were fetched`
    })
    await pause(1_000)
  }
}

async function render({ url, site, key }: CrowdWork): Promise<never> {
  const api = createApi(url, key)
  for (let turn = 0; ; turn++) {
    const recipe = {
      start: { urls: [`${site}/scripted/${turn}`] },
      crawl: { robots: false },
      page: { render: 'browser' },
      extract: { items: '#l li', fields: { name: ':scope' } },
    }
    await run(api, 'rendered run', recipe, (execution) => {
      const rows = member(member(execution, 'counters'), 'rows')
      return rows === 3 ? null : `${String(rows)} rows of 3`
    })
    await pause(5_000)
  }
}

/** Streams that are left in their midst, go on from where they were, and tell each end once. */
async function follow({ url, shop, key }: CrowdWork, number: number): Promise<never> {
  const api = createApi(url, key)
  for (let turn = number; ; turn += STREAMS) {
    const began = Date.now()
    const recipe = {
      start: { urls: [`${shop}/shop/{1..5}`] },
      extract: { items: '.card', fields: { name: 'h2' } },
    }
    const id = await start(api, recipe)
    const stream = { url: `${url}/api/v1/executions/${id}/events`, key }
    const why = id === '' ? 'was refused' : await followToEnd(stream, turn)
    const list = await api(`/api/v1/executions/${id}/pages?limit=100`)
    const pages = itemsOf(list.data).length
    report('followed run', began, why ?? (pages === 5 ? null : `${pages} pages of 5`))
    await pause(500)
  }
}

function isCrowdWork(value: unknown): value is CrowdWork {
  return typeof value === 'object' && value !== null && 'site' in value && 'hasBrowser' in value
}

process.once('message', (work) => {
  if (!isCrowdWork(work)) throw new TypeError('The first message says where to work')
  void visitMoods(work)
  if (work.hasBrowser) void render(work)
  for (let number = 0; number < STREAMS; number++) void follow(work, number)
})
process.on('disconnect', () => process.exit())
