import type { Execution } from './run-view.ts'

/** How far a tool's work is, in pages. */
export interface ToolProgress {
  /** Pages that are done, whatever came of them. */
  readonly progress: number
  /** Pages that are known so far. */
  readonly total: number
  /** The same in words, with the id of the run. */
  readonly message: string
}

/** How far a run is. */
export function progressOf({ id, status, counters }: Execution): ToolProgress {
  const total = counters.discovered
  const progress = total - counters.pending
  return {
    progress,
    total,
    message: `${id} is ${status}: ${progress} of ${total} known pages done, ${counters.rows} rows`,
  }
}
