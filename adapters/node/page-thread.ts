import { hash } from 'node:crypto'
import nodeModule from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { openPageWork } from '../../src/engine/page-work.ts'
import { PageFailure } from '../../src/kernel/failures.ts'
import type { PageWork } from '../../src/ports/page-processor.ts'
import type { AnswerRows, RowsSpec } from '../../src/ports/row-work.ts'
import { threadNumber } from './low-priority.ts'
import { named } from './page-job.ts'
import type { NamedAnswer } from './page-job.ts'
import { BEGUN, CLAIMS, WAITS } from './page-messages.ts'
import type { FromThread, ToThread } from './page-messages.ts'
import { isSmall, partsOf } from './value-parts.ts'
import process from 'node:process'

// The entry of a page thread: it compiles recipes once and answers pages in order.
const port = parentPort
if (port === null || !(workerData instanceof Int32Array))
  throw new Error('page-thread is the entry of a worker thread; createPageThreads starts it')
const claims = workerData

const recipes = new Map<number, Promise<PageWork>>()
const conversions = new Map<number, Promise<AnswerRows>>()
const say = (message: FromThread): void => port.postMessage(message)
let onMore: () => void = () => {}

/** Node before 23.9, Bun and Deno do not report processor time, so the clock counts there. */
const TELLS = typeof process.threadCpuUsage === 'function'
/**
 * The processor time at the end of the last page and the start of the next one. A thread does
 * nothing else between pages, and reading the time takes some microseconds.
 */
let lastMs = TELLS ? processorMs() : 0

// Messages are processed one after the other, although a recipe may have to wait for code it needs.
let last = Promise.resolve()
port.on('message', (message: ToThread) => {
  if (message.kind === 'more') onMore()
  else last = last.then(() => handle(message))
})
say({ kind: 'ready', thread: threadNumber() })

async function handle(message: Exclude<ToThread, { kind: 'more' }>): Promise<void> {
  if (message.kind === 'close')
    return void (recipes.delete(message.recipe) || conversions.delete(message.recipe))
  if (message.kind !== 'open') return answer(message)
  const { recipe, source } = message
  // A recipe that cannot be compiled is the answer to each of its pages.
  if (source.kind === 'pages')
    recipes.set(recipe, handled(openPageWork(source.recipe, source.limits)))
  else conversions.set(recipe, handled(openRows(source.spec)))
}

/** Most threads of a crawl never convert rows. */
async function openRows(spec: RowsSpec): Promise<AnswerRows> {
  return (await import('../../src/engine/export/open-row-work.ts')).openRowWork(spec)
}

function handled<T>(opening: Promise<T>): Promise<T> {
  opening.catch(() => {})
  return opening
}

async function answer(message: Extract<ToThread, { kind: 'page' | 'rows' }>): Promise<void> {
  const { id } = message
  if (Atomics.compareExchange(claims, id % CLAIMS, WAITS, BEGUN) !== WAITS)
    return say({ kind: 'skipped', id })
  if (!TELLS) lastMs = performance.now()
  const took = (): number => {
    const before = lastMs
    lastMs = TELLS ? processorMs() : performance.now()
    return lastMs - before
  }
  try {
    if (message.kind === 'page') {
      await send(id, await pageAnswer(message), took)
      keepCompiledCode()
    } else {
      const convert = await conversions.get(message.recipe)
      if (convert === undefined) throw new Error('The conversion is not open')
      const converted = await convert(message.question)
      port?.postMessage(
        { kind: 'answer', id, answer: converted, ms: took() } satisfies FromThread,
        buffersOf(converted),
      )
    }
  } catch (error) {
    say({
      kind: 'error',
      id,
      message: error instanceof Error ? error.message : String(error),
      costly: error instanceof PageFailure ? error.what : null,
      ms: took(),
    })
  }
}

let isCodeKept = false

/**
 * Keeps the code that the first page needed for the next start of a thread, if the process keeps
 * compiled code (`threadEnvironment` of page-threads.ts). A thread does not end by itself, and Node
 * writes nothing of one that is ended. Bun and Deno may not have the function.
 */
function keepCompiledCode(): void {
  if (isCodeKept || process.env['NODE_COMPILE_CACHE'] === undefined) return
  isCodeKept = true
  if ('flushCompileCache' in nodeModule) nodeModule.flushCompileCache()
  // It does not count for the next page.
  if (TELLS) lastMs = processorMs()
}

async function pageAnswer({
  recipe,
  task,
  page,
  visit,
}: Extract<ToThread, { kind: 'page' }>): Promise<NamedAnswer> {
  const work = await recipes.get(recipe)
  if (work === undefined) throw new Error('The recipe is not open')
  const made = named(task, await work.answer(task, page, visit))
  const { process: result } = made
  if (result === undefined || result.rows.length === 0) return made
  // The digest of the body is computed here, to save time on the thread that serves.
  return { ...made, process: { ...result, digest: hash('sha256', page.body) } }
}

/** Bytes that are transferred, not copied. */
function buffersOf({ part, end }: NamedAnswer): ArrayBuffer[] {
  return [
    ...new Set([part, end].flatMap((bytes) => bytes?.chunks ?? []).map(({ buffer }) => buffer)),
  ]
}

/**
 * A large answer is sent in parts, each after the one before was read, because reading it in one
 * step would block the other thread.
 */
async function send(id: number, result: NamedAnswer, took: () => number): Promise<void> {
  if (isSmall(result)) return say({ kind: 'answer', id, answer: result, ms: took() })
  const ms = took()
  for (const part of partsOf(result)) {
    const read = new Promise<void>((resolve) => (onMore = resolve))
    say({ kind: 'part', id, part })
    await read
  }
  say({ kind: 'whole', id, ms })
}

/**
 * Processor time of this thread, in ms. On a busy machine a page must not count as slow because its
 * thread had to wait.
 */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
