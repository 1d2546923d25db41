import { columnOf } from './database.ts'
import type { SqliteDatabase } from './database.ts'
import { PARTED, PARTS } from './parts.ts'

/** Number of the tables' layout. A later layout comes with a migration from each earlier one. */
export const LAYOUT = 2

const TABLES: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS seine_meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  `CREATE TABLE IF NOT EXISTS seine_entries (
    key TEXT PRIMARY KEY COLLATE BINARY,
    collection TEXT NOT NULL,
    value TEXT NOT NULL,
    version INTEGER NOT NULL,
    expires_at REAL
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS seine_expiring ON seine_entries (expires_at) WHERE expires_at IS NOT NULL',
  ...PARTS,
  `INSERT OR IGNORE INTO seine_meta VALUES ('layout', ${LAYOUT}), ('version', 0)`,
]

/** View → its collection and columns, each a JSON path into the value, for an operator's own SQL. */
const VIEWS: Readonly<
  Record<
    string,
    {
      readonly collection: string
      readonly columns: readonly string[]
      readonly times?: readonly string[]
    }
  >
> = {
  seine_tasks: {
    collection: 'tasks',
    columns: ['id', 'name', 'status', 'labels'],
    times: ['createdAt', 'updatedAt'],
  },
  seine_executions: {
    collection: 'executions',
    columns: ['id', 'taskId', 'status', 'reason.code', 'reason.message', 'retryOf'],
    times: ['createdAt', 'startedAt', 'finishedAt'],
  },
  seine_progress: {
    collection: 'progress',
    columns: ['execution', 'discovered', 'visited', 'rows', 'bytes', 'credits', 'firstError'],
  },
  seine_visits: {
    collection: 'visits',
    columns: [
      'execution',
      'seq',
      'url',
      'outcome',
      'reason.code',
      'httpStatus',
      'rows',
      'bytes',
      'durationMs',
      'credits',
    ],
    times: ['at'],
  },
  seine_jobs: { collection: 'jobs', columns: ['id', 'kind', 'attempt', 'lease'], times: ['dueAt'] },
}

/**
 * Makes the tables of a new database, and makes the views again, within the caller's transaction.
 *
 * @throws if the database was written by a later layout.
 */
export function prepareLayout(db: SqliteDatabase): void {
  const metaTable = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'seine_meta'`).get()
  if (!metaTable) for (const sql of TABLES) db.exec(sql)
  const layoutOf = (): unknown =>
    columnOf(db.prepare(`SELECT value FROM seine_meta WHERE name = 'layout'`).get(), 'value')
  // Layout 2 stores large values in parts. Those of layout 1 stay unchanged until they are written
  // again.
  if (layoutOf() === 1)
    for (const sql of [...PARTS, `UPDATE seine_meta SET value = 2 WHERE name = 'layout'`])
      db.exec(sql)
  assertLayout(layoutOf())
  for (const [name, sql] of Object.entries(views())) {
    const present = columnOf(
      db.prepare(`SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?`).get(name),
      'sql',
    )
    if (present === sql) continue
    db.exec(`DROP VIEW IF EXISTS ${name}`)
    db.exec(sql)
  }
}

/** @throws {Error} for a layout of a later version */
export function assertLayout(layout: unknown): void {
  if (layout !== LAYOUT)
    throw new Error(
      `The database has layout ${String(layout)}; this version of Seine reads layout ${LAYOUT}`,
    )
}

/**
 * The same as statements that may run repeatedly and in several processes at once, for databases
 * that cannot be inspected first.
 */
export function layoutStatements(): readonly string[] {
  return [
    ...TABLES,
    `UPDATE seine_meta SET value = ${LAYOUT} WHERE name = 'layout' AND value < ${LAYOUT}`,
    ...Object.values(views()).map((sql) => sql.replace('CREATE VIEW', 'CREATE VIEW IF NOT EXISTS')),
  ]
}

/** The entries with all parts of their values. */
const WHOLE = `(SELECT key, collection, CASE value WHEN '${PARTED}' THEN (
    SELECT group_concat(text, '') FROM (
      SELECT text FROM seine_parts p WHERE p.key = e.key AND p.version = e.version ORDER BY part
    )
  ) ELSE value END AS value FROM seine_entries e)`

function views(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(VIEWS).map(([name, { collection, columns, times = [] }]) => {
      const selected = [
        // The key's first part, between its tag and its terminator (kernel/key.ts). It is exact for
        // plain ASCII accounts.
        `substr(key, 2, instr(key, char(1)) - 2) AS account`,
        ...columns.map((path) => `value ->> '$.${path}' AS ${snake(path)}`),
        ...times.map(
          (path) =>
            `datetime((value ->> '$.${path}') / 1000.0, 'unixepoch', 'subsec') AS ${snake(path)}`,
        ),
      ]
      return [
        name,
        `CREATE VIEW ${name} AS SELECT ${selected.join(', ')} FROM ${WHOLE} WHERE collection = '${collection}'`,
      ]
    }),
  )
}

function snake(path: string): string {
  return path.replaceAll('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
