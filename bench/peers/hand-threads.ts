import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { contend } from '../contender.ts'
import { crawlByHand } from '../hand/crawl.ts'
import type { HandPage } from '../hand/page.ts'
import type { HandAnswer, HandQuestion } from '../hand/thread.ts'

// The program by hand with two threads for pages: bodies are transferred to the thread that has
// fewer pages, and rows and links come back. The clock starts when both have loaded their modules.
const THREADS = 2

async function startThread() {
  const worker = new Worker(new URL('../hand/thread.ts', import.meta.url))
  await once(worker, 'message')
  const waiting = new Map<number, (page: HandPage) => void>()
  worker.on('message', ({ id, page }: HandAnswer) => {
    waiting.get(id)?.(page)
    waiting.delete(id)
  })
  // Without its thread the crawl cannot end, so the process does.
  worker.on('error', (error) => {
    throw error
  })
  return { worker, waiting }
}

const threads = await Promise.all(Array.from({ length: THREADS }, startThread))
let pages = 0

await contend((assignment) =>
  crawlByHand(assignment, async (path, stream) => {
    const body = await stream.arrayBuffer()
    const thread = threads.reduce((best, other) =>
      other.waiting.size < best.waiting.size ? other : best,
    )
    const id = pages++
    return new Promise<HandPage>((resolve) => {
      thread.waiting.set(id, resolve)
      thread.worker.postMessage({ id, path, body } satisfies HandQuestion, [body])
    })
  }),
)
