import type { Outcome, ProgressRecord } from './types.ts'

/** The counters of an execution that has done nothing yet; stored in the commit that creates it. */
export function emptyProgress(execution: string): ProgressRecord {
  return {
    execution,
    seeded: false,
    commit: '',
    discovered: 0,
    visited: 0,
    outcomes: {},
    rows: 0,
    segments: 0,
    settled: 0,
    bytes: 0,
    credits: 0,
    filled: {},
    errors: {},
    firstError: null,
    extracted: 0,
  }
}

/** URLs that have no outcome yet. */
export function pendingOf(progress: ProgressRecord): number {
  let settled = 0
  for (const count of Object.values(progress.outcomes)) settled += count
  return progress.discovered - settled
}

/** True for outcomes of URLs that were taken up, whatever came of it. */
export function isVisited(outcome: Outcome): boolean {
  return !outcome.startsWith('skipped_')
}
