import { decodeKey, prefixRange } from '../../src/kernel/key.ts'
import type { Key } from '../../src/kernel/key.ts'
import type { SnapshotEntry } from '../../src/ports/store.ts'
import type { Database } from './client.ts'

/** Entries of one read. Values may have megabytes each. */
const PAGE = 200

/**
 * Reads all entries below the prefixes in one transaction, on a connection of its own: the first
 * read of `REPEATABLE READ` fixes the state for the later ones. Writers do not wait for it.
 */
export async function* readSnapshot(
  database: Database,
  schema: string,
  prefixes: readonly Key[],
  now: number,
): AsyncGenerator<readonly SnapshotEntry[]> {
  const connection = await database.reserve()
  try {
    await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    try {
      for (const prefix of prefixes) {
        const { from, to } = prefixRange(prefix)
        for (let over = from; ;) {
          const rows = await connection.ask(
            {
              name: null,
              text: `SELECT key, value::text, expires_at::text FROM ${schema}.entries
                WHERE key > $1::text AND key < $2::text
                AND (expires_at IS NULL OR expires_at > $3::text::double precision)
                ORDER BY key LIMIT ${PAGE}`,
            },
            [over, to, String(now)],
          )
          if (rows.length === 0) break
          yield rows.map(([key, value, expiresAt]): SnapshotEntry => ({
            key: decodeKey(String(key)),
            json: String(value),
            expiresAt: expiresAt === null ? null : Number(expiresAt),
          }))
          over = String(rows.at(-1)?.[0])
          if (rows.length < PAGE) break
        }
      }
    } finally {
      await connection.script('ROLLBACK')
    }
  } finally {
    connection.release()
  }
}
