import type * as Seine from 'seine'
import type * as SeineNode from 'seine/node'
import type * as Sqlite from 'seine/sqlite'
import { built } from '../built.ts'

export const { createPlatform }: typeof Seine = await import(built('index.js'))
export const { serve }: typeof SeineNode = await import(built('adapters/node/index.js'))
export const sqlite: typeof Sqlite = await import(built('adapters/sqlite/index.js'))

const ignore = () => undefined
/** A logger that says nothing. */
export const silent: Seine.Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: console.error,
}

/** So many calls that none is refused, while every one is counted. */
export const RATE = { limit: 1_000_000_000, periodMs: 60_000, burst: 999_999_999 }

/** The platform that is measured. */
export function platformOn(store: string): Seine.Platform {
  return createPlatform({
    store: sqlite.createSqliteStore({ path: store }),
    rateLimits: { tasks: RATE },
    logger: silent,
  })
}
