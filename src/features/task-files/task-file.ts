import type { Issue } from '../../kernel/errors.ts'
import type { JsonObject } from '../../kernel/json.ts'

/** A file of tasks, as an export gives it. */
export interface TaskFile {
  readonly tasks: readonly JsonObject[]
}

/** How an import goes about it. */
export interface TaskImportOptions {
  /** What tells which task is meant. By id none is made. Default `name`. */
  readonly by?: 'name' | 'id'
  /** Checks all, and writes nothing. Default false. */
  readonly dryRun?: boolean
}

/** What an import has done with one task. */
export interface TaskImportItem {
  readonly name: string | null
  readonly taskId: string | null
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'refused'
  /** Why it was refused. `null`: it was not. */
  readonly code: string | null
  readonly issues: readonly Issue[]
}

/** The result of an import. Items are in the order of the file. */
export interface TaskImport {
  readonly dryRun: boolean
  readonly counts: Readonly<Record<TaskImportItem['outcome'], number>>
  readonly items: readonly TaskImportItem[]
}
