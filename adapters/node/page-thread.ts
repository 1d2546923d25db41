import { parentPort, workerData } from 'node:worker_threads'
import { openPageWork } from '../../src/engine.ts'
import { PageFailure } from '../../src/kernel/page-failure.ts'
import type { PageWork } from '../../src/ports/page-processor.ts'
import { lowerPriority } from './low-priority.ts'
import { threadMs } from './thread-ms.ts'
import { named } from './page-job.ts'
import type { NamedAnswer } from './page-job.ts'
import { BEGUN, CLAIMS, WAITS } from './page-messages.ts'
import type { FromThread, ToThread } from './page-messages.ts'
import { isSmall, partsOf } from './value-parts.ts'

// What runs in a page thread: recipes compiled once, pages answered in order.
const port = parentPort
if (port === null || !(workerData instanceof Int32Array)) throw new Error('page-thread is the entry of a worker thread; createPageThreads starts it')
lowerPriority()
const claims = workerData

const recipes = new Map<number, Promise<PageWork>>()
const say = (message: FromThread): void => port.postMessage(message)
let onMore: () => void = () => {}

// One message after the other, although a recipe may have to wait for what it needs.
let last = Promise.resolve()
port.on('message', (message: ToThread) => {
  if (message.kind === 'more') onMore()
  else last = last.then(() => hear(message))
})
say({ kind: 'ready' })

async function hear(message: Exclude<ToThread, { kind: 'more' }>): Promise<void> {
  if (message.kind === 'close') return void recipes.delete(message.recipe)
  if (message.kind === 'page') return answer(message)
  const opening = openPageWork(message.source, message.limits)
  // A recipe that cannot be compiled is the answer to each of its pages.
  opening.catch(() => {})
  recipes.set(message.recipe, opening)
}

async function answer({ id, recipe, task, page, visit }: Extract<ToThread, { kind: 'page' }>): Promise<void> {
  if (Atomics.compareExchange(claims, id % CLAIMS, WAITS, BEGUN) !== WAITS) return say({ kind: 'skipped', id })
  const began = threadMs()
  const took = (): number => threadMs() - began
  try {
    const work = await recipes.get(recipe)
    if (work === undefined) throw new Error('The recipe is not open')
    await send(id, named(task, await work.answer(task, page, visit)), took)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    say({ kind: 'error', id, message, costly: error instanceof PageFailure ? error.what : null, ms: took() })
  }
}

/** A large answer goes in parts, each when the one before was read: reading it must not hold up the other side. */
async function send(id: number, found: NamedAnswer, took: () => number): Promise<void> {
  if (isSmall(found)) return say({ kind: 'answer', id, answer: found, ms: took() })
  const ms = took()
  for (const part of partsOf(found)) {
    const read = new Promise<void>((resolve) => (onMore = resolve))
    say({ kind: 'part', id, part })
    await read
  }
  say({ kind: 'whole', id, ms })
}
