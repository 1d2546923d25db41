import { setTimeout as sleep } from 'node:timers/promises'
import type { Execution } from 'seine/client'
import { createBar, createLines, type Progress } from './progress.ts'
import type { Workplace } from './api/workplace.ts'

/** Works on an execution, and reports its progress. */
interface Runner<Known extends Progressing> extends Pick<Workplace, 'work' | 'pollMs'> {
  readonly client: {
    readonly executions: {
      get(id: string): Promise<Known>
      pause(id: string): Promise<unknown>
    }
  }
}

/** The facts that are shown of an execution, and whether it has ended. */
type Progressing = Pick<Execution, 'status' | 'counters'>

/** Options of {@link runExecution}. */
export interface RunExecutionOptions<Known extends Progressing> {
  readonly runner: Runner<Known>
  readonly id: string
  /** Pauses the execution when it aborts. */
  readonly interrupt: AbortSignal
  /** Upper bound of pages for the bar, if there is one. */
  readonly maxPages?: number
}

/**
 * Works until an execution has ended, and shows its progress. The answer's status is `paused` if it
 * was interrupted here or paused elsewhere. All fetched pages are then kept.
 */
export async function runExecution<Known extends Progressing>({
  runner,
  id,
  interrupt,
  maxPages = Infinity,
}: RunExecutionOptions<Known>): Promise<Known> {
  const stop = new AbortController()
  let broken: unknown = null
  const work = runner.work(stop.signal).catch((error: unknown) => void (broken = error))
  const progress =
    process.stderr.isTTY && process.stdout.isTTY
      ? createBar(process.stderr)
      : createLines(process.stderr)
  try {
    for (;;) {
      if (interrupt.aborted) await pause(runner, id)
      const execution = await runner.client.executions.get(id)
      // Nothing is known before the worker has begun.
      if (execution.counters.discovered > 0) show(progress, execution, maxPages)
      if (broken) throw broken
      if (execution.status !== 'queued' && execution.status !== 'running') return execution
      await sleep(runner.pollMs, undefined, { signal: interrupt }).catch(() => undefined)
    }
  } finally {
    progress.end()
    stop.abort()
    await work
  }
}

async function pause({ client }: Runner<Progressing>, id: string): Promise<void> {
  try {
    await client.executions.pause(id)
  } catch (error) {
    // The execution has ended meanwhile, so pausing is not needed.
    if (!(error instanceof Error && 'code' in error && error.code === 'CONFLICT')) throw error
  }
}

function show(progress: Progress, { counters }: Progressing, maxPages: number): void {
  const { visited, pending, rows, failed, blocked } = counters
  progress.update({
    visited,
    known: Math.max(visited, Math.min(visited + pending, maxPages)),
    rows,
    failed: failed + blocked,
  })
}
