import { parentPort } from 'node:worker_threads'
import type { Played } from './play.ts'
import { replaceGlobals } from './runtime.ts'
import type { Trims } from './trims.ts'

/** The worlds that a thread plays, one after the other. */
export interface Order {
  readonly worlds: readonly { readonly seed: number; readonly storm: number }[]
  readonly trims: Trims
}

/** Plays worlds in this thread, and tells the main one how each went. */
export async function playOrder({ worlds, trims }: Order): Promise<void> {
  Error.stackTraceLimit = 40
  replaceGlobals()
  // Otherwise it would end the process of Node.
  let unhandled: string | null = null
  process.on('unhandledRejection', (reason: unknown) => {
    unhandled ??= reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
  })
  const { play } = await import('./play.ts')
  for (const { seed, storm } of worlds) {
    unhandled = null
    const played = await play(seed, storm, trims)
    // It is a broken promise too: it comes after the others.
    const rejections =
      unhandled === null ? [] : [`a rejection that nobody handles: ${String(unhandled)}`]
    const result: Played = { ...played, broken: [...played.broken, ...rejections] }
    parentPort?.postMessage(result, [])
  }
}
