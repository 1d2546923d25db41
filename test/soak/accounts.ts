import { createPlatform, type PlatformOptions } from 'seine'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Keys of the accounts of a soak. */
export interface Accounts {
  readonly honest: string
  /** Each with an account of its own, as previews have daily quotas. */
  readonly previews: readonly string[]
  /** One whose sites misbehave, and who follows runs by streams. */
  readonly crowd: string
  readonly hostile: string
  readonly hostilePreviews: readonly string[]
}

/** Accounts for previews, if not more are needed. */
const PREVIEW_ACCOUNTS = 60
/** Previews without a task that an account has in a day. */
const PREVIEWS_A_DAY = 20

/** The parts of a platform that stores its data in a folder, like the command. */
export function openData(data: string) {
  mkdirSync(data, { recursive: true })
  return {
    store: createSqliteStore({ path: join(data, 'seine.db') }),
    blobs: createFileBlobs({ dir: join(data, 'blobs') }),
  }
}

/** The store and the blobs of a platform. */
export type DataParts = Pick<PlatformOptions, 'store' | 'blobs'>

/**
 * Makes the accounts in empty data before the server opens it: enough for a number of previews. The
 * command makes keys of one account only, but admits those of any.
 */
export async function makeAccounts(parts: DataParts, previews = 0): Promise<Accounts> {
  const platform = createPlatform(parts)
  try {
    const keyOf = async (account: string): Promise<string> =>
      (
        await platform.api.keys.create(
          { account, user: account, scopes: ['*'] },
          { name: 'soak', scopes: ['*'] },
        )
      ).secret
    const several = async (account: string): Promise<string[]> => {
      const keys = []
      const count = Math.max(PREVIEW_ACCOUNTS, Math.ceil(previews / PREVIEWS_A_DAY))
      for (let i = 0; i < count; i++) keys.push(await keyOf(`${account}-${i}`))
      return keys
    }
    return {
      honest: await keyOf('honest'),
      previews: await several('honest-preview'),
      crowd: await keyOf('crowd'),
      hostile: await keyOf('hostile'),
      hostilePreviews: await several('hostile-preview'),
    }
  } finally {
    await platform.close()
  }
}
