import type { Issue } from '../../kernel/errors.ts'
import type { JsonObject } from '../../kernel/json.ts'

/** A file of tasks, as an export returns it. */
export interface TaskFile {
  readonly tasks: readonly JsonObject[]
}

/** Options of an import. */
export interface TaskImportOptions {
  /**
   * The property by which tasks of the file are matched. An import by id creates no tasks. Default
   * `name`.
   */
  readonly by?: 'name' | 'id'
  /** Checks all, and writes nothing. Default false. */
  readonly dryRun?: boolean
}

/** The result of an import for one task. */
export interface TaskImportItem {
  readonly name: string | null
  readonly taskId: string | null
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'refused'
  /** Why it was refused. `null`: it was not refused. */
  readonly code: string | null
  readonly issues: readonly Issue[]
}

/** The result of an import. Items are in the order of the file. */
export interface TaskImport {
  readonly dryRun: boolean
  readonly counts: Readonly<Record<TaskImportItem['outcome'], number>>
  readonly items: readonly TaskImportItem[]
}
