import { fitText } from './display-text.ts'

/** The progress of a run. */
export interface ProgressState {
  /** Number of pages started so far. */
  readonly visited: number
  /** Number of pages known so far. It grows while links are found. */
  readonly known: number
  readonly rows: number
  /** Pages that failed or were blocked. */
  readonly failed: number
}

/** Shows a run to the person who waits for it. */
export interface Progress {
  update(state: ProgressState): void
  /** Removes the bar, or prints the last plain line if it was not printed yet. */
  end(): void
}

/** The part of `process.stderr` that is used. */
export interface ProgressStream {
  write(text: string): unknown
  readonly columns?: number
}

const BAR = 24
const PLAIN_EVERY_MS = 2_000

/** A bar that redraws itself in place: for a terminal. */
export function createBar(stream: ProgressStream, now: () => number = Date.now): Progress {
  const startedAt = now()
  return {
    update(state) {
      const share = state.known === 0 ? 0 : Math.min(1, state.visited / state.known)
      const filled = Math.floor(share * BAR)
      const seconds = (now() - startedAt) / 1000
      const rate =
        seconds > 0.5
          ? ` · ${(state.visited / seconds).toFixed(state.visited < 10 * seconds ? 1 : 0)} pages/s`
          : ''
      const line = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${describe(state)}${rate}`
      stream.write(`\r\x1b[2K${fitText(line, (stream.columns ?? 80) - 1)}`)
    },
    end: () => void stream.write('\r\x1b[2K'),
  }
}

/** Plain lines at intervals, for a pipe or a log. No line is printed twice. */
export function createLines(stream: ProgressStream, now: () => number = Date.now): Progress {
  let printedAt = -Infinity
  let printed = ''
  let latest = ''
  const print = () => {
    if (latest === printed) return
    stream.write(`${latest}\n`)
    printed = latest
    printedAt = now()
  }
  return {
    update(state) {
      latest = describe(state)
      if (now() - printedAt >= PLAIN_EVERY_MS) print()
    },
    end: print,
  }
}

function describe({ visited, known: pages, rows, failed }: ProgressState): string {
  return `${visited} of ${pages} pages, ${rows} ${rows === 1 ? 'row' : 'rows'}${failed > 0 ? `, ${failed} failed` : ''}`
}
