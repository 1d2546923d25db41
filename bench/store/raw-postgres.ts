import postgres from 'postgres'
import { GROUP, recordValue, type Workload } from './workload.ts'

/**
 * The workload as transactions by postgres.js, whose statements are sent at once and prepared: the
 * price of the database itself.
 */
export async function rawPostgresWorkload(host: string, schema: string): Promise<Workload> {
  const sql = postgres({ host, user: 'seine', database: 'postgres', max: 10, onnotice: () => {} })
  await sql.unsafe(
    `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.raw (key text COLLATE "C" PRIMARY ` +
      'KEY, value json NOT NULL, version bigint NOT NULL)',
  )
  const table = sql(`${schema}.raw`)
  const keyOf = (record: number) =>
    `records/${String(Math.floor(record / GROUP)).padStart(9, '0')}/${String(record).padStart(9, '0')}`
  const write = (on: postgres.TransactionSql, key: string, value: unknown, version: number) =>
    on`INSERT INTO ${table} VALUES (${key}, ${JSON.stringify(value)}::text::json, ${version}) ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version`
  let revision = 0
  return {
    async commit(record) {
      const key = keyOf(record)
      const [before] = await sql`SELECT value, version FROM ${table} WHERE key = ${key}`
      const value = recordValue(record, ++revision)
      const version = revision
      await sql.begin(async (transaction) => {
        const [checked] = await Promise.all([
          transaction`SELECT version FROM ${table} WHERE key = ${key} FOR UPDATE`,
          write(transaction, key, value, version),
          write(transaction, `by-state/${value.state}/${record}`, null, version),
          write(transaction, `by-url/${value.url}`, null, version),
          transaction`INSERT INTO ${table} AS t VALUES ('counter', '1', ${version}) ON CONFLICT (key) DO UPDATE SET value = to_json(t.value::text::float8 + 1), version = excluded.version`,
        ])
        if (checked[0]?.['version'] !== before?.['version'])
          throw new Error(`The version of record ${record} changed`)
      })
    },
    async list(group) {
      const prefix = `records/${String(group).padStart(9, '0')}/`
      return (
        await sql`SELECT key, value, version FROM ${table} WHERE key > ${prefix} AND key < ${`${prefix}~`} ORDER BY key LIMIT ${GROUP}`
      ).length
    },
    async get(record) {
      const [row] = await sql`SELECT value, version FROM ${table} WHERE key = ${keyOf(record)}`
      return row !== undefined && row['value'] !== null
    },
    async counted() {
      const [row] = await sql`SELECT value::text FROM ${table} WHERE key = 'counter'`
      return Number(row?.['value'])
    },
    close: () => sql.end(),
  }
}
