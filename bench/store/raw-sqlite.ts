import { DatabaseSync } from 'node:sqlite'
import { GROUP, recordValue, type Workload } from './workload.ts'

/**
 * The workload as prepared statements on `node:sqlite`, without a port, promises or key encoding:
 * the price of the database itself.
 */
export function rawSqliteWorkload(path: string): Workload {
  const database = new DatabaseSync(path)
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE entries (key ' +
      'TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID, STRICT',
  )
  const begin = database.prepare('BEGIN IMMEDIATE')
  const end = database.prepare('COMMIT')
  const read = database.prepare('SELECT value, version FROM entries WHERE key = ?')
  const write = database.prepare(
    'INSERT INTO entries VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = ' +
      'excluded.value, version = excluded.version',
  )
  const add = database.prepare(
    'INSERT INTO entries VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = value + ' +
      'excluded.value, version = excluded.version',
  )
  const scan = database.prepare(
    'SELECT key, value, version FROM entries WHERE key >= ? AND key < ? ORDER BY key LIMIT ?',
  )
  const keyOf = (record: number) =>
    `records/${String(Math.floor(record / GROUP)).padStart(9, '0')}/${String(record).padStart(9, '0')}`
  let revision = 0
  return {
    commit(record) {
      const key = keyOf(record)
      const before = read.get(key)?.['version'] ?? null
      begin.run()
      if ((read.get(key)?.['version'] ?? null) !== before)
        throw new Error(`The version of record ${record} changed`)
      const value = recordValue(record, ++revision)
      write.run(key, JSON.stringify(value), revision)
      write.run(`by-state/${value.state}/${record}`, 'null', revision)
      write.run(`by-url/${value.url}`, 'null', revision)
      add.run('counter', '1', revision)
      end.run()
    },
    list(group) {
      const prefix = `records/${String(group).padStart(9, '0')}/`
      return scan.all(prefix, `${prefix}~`, GROUP).map((row) => ({
        key: row['key'],
        value: JSON.parse(String(row['value'])),
        version: row['version'],
      })).length
    },
    get(record) {
      const row = read.get(keyOf(record))
      return row !== undefined && JSON.parse(String(row['value'])) !== null
    },
    counted: () => Number(read.get('counter')?.['value']),
    close: () => database.close(),
  }
}
