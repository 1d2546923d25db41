import { parentPort } from 'node:worker_threads'
import { readHandPage, type HandPage } from './page.ts'

/** A page for a thread; its body is transferred, not copied. */
export interface HandQuestion {
  readonly id: number
  readonly path: string
  readonly body: ArrayBuffer
}

/** The values of the page of this number. */
export interface HandAnswer {
  readonly id: number
  readonly page: HandPage
}

parentPort?.on('message', ({ id, path, body }: HandQuestion) => {
  const page = readHandPage(path, Buffer.from(body).toString())
  parentPort?.postMessage({ id, page } satisfies HandAnswer, [])
})

// All modules are loaded.
parentPort?.postMessage('ready', [])
