import type { VisitRecord } from '../../features/executions/records.ts'
import type { Metric, Telemetry } from '../../ports/telemetry.ts'

const PAGES: Metric = {
  name: 'seine.pages',
  unit: '{page}',
  description: 'Pages of executions by outcome, each counted once, when it is committed',
}
const ROWS: Metric = {
  name: 'seine.rows',
  unit: '{row}',
  description: 'Rows of executions, each counted once, when it is committed',
}

/** Counts the pages and rows of a commit. */
export function countVisits(telemetry: Telemetry, visits: readonly VisitRecord[]): void {
  const pages = new Map<string, number>()
  let rows = 0
  for (const visit of visits) {
    pages.set(visit.outcome, (pages.get(visit.outcome) ?? 0) + 1)
    rows += visit.rows
  }
  for (const [outcome, count] of pages)
    telemetry.count(PAGES, count, { 'seine.page.outcome': outcome })
  if (rows > 0) telemetry.count(ROWS, rows, {})
}
