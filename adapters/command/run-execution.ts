import { setTimeout as sleep } from 'node:timers/promises'
import type { Execution, Platform } from 'seine'
import { OWNER } from './data-directory.ts'
import { createBar, createLines, type Progress } from './progress.ts'

const POLL_MS = 120

/** Options of {@link runExecution}. */
export interface RunOptions {
  readonly platform: Platform
  readonly id: string
  /** Pauses the execution when it aborts. */
  readonly interrupt: AbortSignal
  /** Upper bound of pages, if there is one, for the bar. */
  readonly maxPages?: number
}

/**
 * Works until an execution has ended, showing its progress. The answer's status is `paused` if it
 * was interrupted here or paused elsewhere; by then everything that was fetched is kept.
 */
export async function runExecution({
  platform,
  id,
  interrupt,
  maxPages = Infinity,
}: RunOptions): Promise<Execution> {
  const stop = new AbortController()
  let broken: unknown = null
  const work = platform.worker
    .run({ signal: stop.signal })
    .catch((error: unknown) => void (broken = error))
  const progress =
    process.stderr.isTTY && process.stdout.isTTY
      ? createBar(process.stderr)
      : createLines(process.stderr)
  try {
    for (;;) {
      if (interrupt.aborted) await pause(platform, id)
      const execution = await platform.api.executions.get(OWNER, id)
      // Nothing is known before the worker has begun.
      if (execution.counters.discovered > 0) show(progress, execution, maxPages)
      if (broken) throw broken
      if (execution.status !== 'queued' && execution.status !== 'running') return execution
      await sleep(POLL_MS, undefined, { signal: interrupt }).catch(() => undefined)
    }
  } finally {
    progress.end()
    stop.abort()
    await work
  }
}

async function pause(platform: Platform, id: string): Promise<void> {
  try {
    await platform.api.executions.pause(OWNER, id)
  } catch (error) {
    // It has ended meanwhile, which is as good.
    if (!(error instanceof Error && 'code' in error && error.code === 'CONFLICT')) throw error
  }
}

function show(progress: Progress, { counters }: Execution, maxPages: number): void {
  const { visited, pending, rows, failed, blocked } = counters
  progress.update({
    visited,
    known: Math.max(visited, Math.min(visited + pending, maxPages)),
    rows,
    failed: failed + blocked,
  })
}
