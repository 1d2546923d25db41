import type { D1Database } from 'seine/cloudflare'

/** A database that answers this number of calls, and fails all later ones. */
export function failingAfter(database: D1Database, calls: number): D1Database {
  let left = calls
  return {
    prepare: (sql) => database.prepare(sql),
    async batch(statements) {
      if (left-- <= 0) throw new Error('D1_ERROR: the suite has taken the database away')
      return database.batch(statements)
    },
  }
}
