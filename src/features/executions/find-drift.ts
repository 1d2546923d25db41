import { shortKey } from '../../kernel/short-key.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { FillSample, HealthRecord } from '../schedules/records.ts'
import type { Drift, ExecutionRecord, ProgressRecord } from './records.ts'

/** Number of earlier executions that are remembered. */
const SAMPLES = 20
/** Minimum number of earlier executions. With fewer no share counts as usual. */
const LEAST_SAMPLES = 2
/** Minimum usual share. An empty column that is usually empty is not a sign of drift. */
const LEAST_USUAL = 0.2
/** Minimum drop of a share, relative to the usual one. */
const LEAST_DROP = 0.3
/** A drop counts as drift if the probability of it by chance is below this. */
const CHANCE = 0.01
const MOST_COLUMNS = 200

/**
 * Compares an execution with its task's earlier ones. Returns the columns that it filled less than
 * usual, and the samples to remember.
 */
export function findDrift(
  before: HealthRecord | null,
  execution: ExecutionRecord,
  progress: ProgressRecord,
  columns: readonly string[],
  task: string,
  now: number,
): { drift: Drift[]; health: HealthRecord } {
  const recipe = shortKey(JSON.stringify(extractionOf(execution.recipe)))
  const samples = before?.recipe === recipe ? before.samples : []
  const sample: FillSample = {
    execution: execution.id,
    at: now,
    rows: progress.rows,
    filled: shares(progress, columns),
  }
  const drift =
    samples.length < LEAST_SAMPLES
      ? []
      : columns.flatMap((field) => driftOf(field, samples, sample, progress.extracted))
  // A drifted execution is not remembered. Otherwise a second one would look usual.
  const remembered = drift.length > 0 ? samples : [...samples, sample].slice(-SAMPLES)
  return { drift, health: { task, recipe, samples: remembered } }
}

function driftOf(
  field: string,
  samples: readonly FillSample[],
  { rows, filled }: FillSample,
  pages: number,
): Drift[] {
  const usual = median(
    samples.map((sample) =>
      Object.hasOwn(sample.filled, field) ? (sample.filled[field] ?? 0) : 0,
    ),
  )
  const now = Object.hasOwn(filled, field) ? (filled[field] ?? 0) : 0
  // If there are no rows, each page that was read counts as a row without values.
  const seen = rows === 0 ? pages : rows
  if (usual < LEAST_USUAL || now > usual * (1 - LEAST_DROP) || chanceOf(now, usual, seen) > CHANCE)
    return []
  return [{ field, usual: rounded(usual), now: rounded(now) }]
}

/**
 * Upper bound on the probability that `count` rows have a share as small as `now`, if the true
 * share is `usual` (Chernoff bound by relative entropy).
 */
function chanceOf(now: number, usual: number, count: number): number {
  const p = Math.min(usual, 0.995)
  const entropy =
    (now === 0 ? 0 : now * Math.log(now / p)) +
    (now === 1 ? 0 : (1 - now) * Math.log((1 - now) / (1 - p)))
  return Math.exp(-count * entropy)
}

function shares(
  { rows, filled }: ProgressRecord,
  columns: readonly string[],
): Record<string, number> {
  const share = (column: string): number =>
    rows === 0 || !Object.hasOwn(filled, column)
      ? 0
      : rounded(Math.min(1, (filled[column] ?? 0) / rows))
  return Object.fromEntries(columns.slice(0, MOST_COLUMNS).map((column) => [column, share(column)]))
}

function extractionOf(recipe: Json): Json {
  if (!isObject(recipe) || !('extract' in recipe || 'formats' in recipe)) return null
  return [
    'extract' in recipe ? (recipe['extract'] ?? null) : null,
    'formats' in recipe ? (recipe['formats'] ?? null) : null,
  ]
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000
}
