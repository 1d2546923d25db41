import type { Json, Row } from '../../../src/kernel/json.ts'

/** A run as input of the model. */
export interface ModelRun {
  readonly task: string
  readonly rows: readonly Row[]
  readonly complete: boolean
}

/** The effect of one run on a key. */
export interface ModelChange {
  readonly run: number
  readonly kind: string
  readonly key: Json
  readonly fields: Readonly<Record<string, readonly [Json, Json]>>
}

interface ModelItem {
  values: Record<string, Json>
  task: string
  first: number
  changed: number
  last: number
  gone: number | null
}

/**
 * The expected dataset with the key `sku`, computed in a simple way: all in memory, one run after
 * the other.
 */
export class DatasetModel {
  readonly items = new Map<Json, ModelItem>()
  readonly changes: ModelChange[] = []
  counts: Record<string, number> = {}
  #run = 0

  merge({ task, rows, complete }: ModelRun): void {
    const run = ++this.#run
    this.counts = {
      added: 0,
      changed: 0,
      returned: 0,
      unchanged: 0,
      duplicate: 0,
      skipped: 0,
      cut: 0,
      gone: 0,
    }
    const last = new Map<Json, Row>()
    for (const row of rows) {
      const sku = row['sku'] ?? null
      if (sku === null) this.#count('skipped')
      else if (last.has(sku)) this.#count('duplicate')
      if (sku !== null) last.set(sku, row)
    }
    for (const [sku, row] of last) this.#meet(run, task, sku, row)
    for (const [sku, item] of this.items) {
      if (!complete || item.gone !== null || item.task !== task || item.last === run) continue
      item.gone = run
      this.#note(run, 'gone', sku, {})
    }
  }

  #meet(run: number, task: string, sku: Json, row: Row): void {
    const old = this.items.get(sku)
    const item = old ?? { values: {}, task, first: run, changed: run, last: run, gone: null }
    const fields: Record<string, readonly [Json, Json]> = {}
    for (const [column, after] of Object.entries(row)) {
      const before = item.values[column] ?? null
      if (JSON.stringify(before) !== JSON.stringify(after)) fields[column] = [before, after]
      if (after === null) delete item.values[column]
      else item.values[column] = after
    }
    const kind = !old
      ? 'added'
      : old.gone !== null
        ? 'returned'
        : Object.keys(fields).length > 0
          ? 'changed'
          : 'unchanged'
    if (kind === 'unchanged') this.#count(kind)
    else this.#note(run, kind, sku, fields)
    this.items.set(sku, {
      ...item,
      task,
      last: run,
      gone: null,
      changed: kind === 'unchanged' ? item.changed : run,
    })
  }

  #note(run: number, kind: string, key: Json, fields: ModelChange['fields']): void {
    this.#count(kind)
    this.changes.push({ run, kind, key, fields })
  }

  #count(kind: string): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1
  }
}
