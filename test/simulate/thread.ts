import { parentPort } from 'node:worker_threads'
import type { Played } from './play.ts'
import { replaceGlobals } from './runtime.ts'
import type { Trims } from './trims.ts'

/** The world that a thread plays. */
export interface Order {
  readonly seed: number
  readonly storm: number
  readonly trims: Trims
}

/** Plays one world in this thread, and tells the main one how it went. */
export async function playOrder({ seed, storm, trims }: Order): Promise<void> {
  Error.stackTraceLimit = 40
  replaceGlobals()
  // Otherwise it would end the process of Node.
  let unhandled: string | null = null
  process.on('unhandledRejection', (reason: unknown) => {
    unhandled ??= reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
  })
  const { play } = await import('./play.ts')
  const played = await play(seed, storm, trims)
  // It is a broken promise too: it comes after the others.
  const rejections = unhandled === null ? [] : [`a rejection that nobody handles: ${unhandled}`]
  const result: Played = { ...played, broken: [...played.broken, ...rejections] }
  parentPort?.postMessage(result, [])
}
