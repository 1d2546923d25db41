import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import type { D1Database, D1Statement } from '../../../adapters/cloudflare/bindings.ts'

/** A statement with its values. */
class FakeStatement implements D1Statement {
  readonly #db: DatabaseSync
  readonly #sql: string
  #values: (string | number | null)[] = []

  constructor(db: DatabaseSync, sql: string) {
    this.#db = db
    this.#sql = sql
  }

  bind(...values: unknown[]): this {
    this.#values = values.map((value) =>
      typeof value === 'number' || value === null ? value : String(value),
    )
    return this
  }

  run(): { readonly results: readonly unknown[] } {
    return { results: this.#db.prepare(this.#sql).all(...this.#values) }
  }

  async all() {
    return this.run()
  }
}

/** A D1 database in memory. Like the real one it runs one batch after the other. */
export function createFakeD1(): D1Database {
  const db = new DatabaseSync(':memory:')
  let last: Promise<unknown> = Promise.resolve()
  const run = (statements: readonly D1Statement[]) => {
    db.exec('BEGIN')
    try {
      const results = statements.map((statement) =>
        statement instanceof FakeStatement ? statement.run() : {},
      )
      db.exec('COMMIT')
      return results
    } catch (error) {
      db.exec('ROLLBACK')
      throw error
    }
  }
  return {
    prepare: (sql) => new FakeStatement(db, sql),
    batch(statements) {
      const answer = last.then(() => turn()).then(() => run(statements))
      last = answer.catch(() => undefined)
      return answer
    },
  }
}
