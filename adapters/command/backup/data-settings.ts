import { existsSync } from 'node:fs'
import { CommandError, wrongUse } from '../command-error.ts'
import { storeFile } from '../data-directory.ts'
import type { DATA_FLAGS, DataSettings } from '../open-services.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Environment } from '../settings/read-settings.ts'
import { notOnServer } from '../settings/on-data.ts'
import type { CommandOnData } from '../settings/on-data.ts'

/**
 * The settings that say where the data of a deployment is.
 *
 * @throws {CommandError} if only a server is named, because the data in this folder must not be
 *   mistaken for its data
 */
export async function dataSettings(
  command: CommandOnData,
  values: { readonly [name in keyof typeof DATA_FLAGS]?: string },
  env: Environment = process.env,
): Promise<DataSettings> {
  const { config, data, store, blobs } = values
  const { settings } = await readSettings({ config, values: { data, store, blobs } }, env)
  const isNamed = settings.data !== undefined || settings.store !== undefined
  if (env['SEINE_URL'] && !isNamed)
    throw wrongUse(`SEINE_URL names a server. ${notOnServer(command)}`)
  return settings
}

/** Opening would create an empty store, with nothing to copy or to erase. */
export function assertThere(settings: DataSettings): void {
  const file = sqliteFileOf(settings)
  if (file !== null && !existsSync(file))
    throw new CommandError(`There is no store in ${file}: --data or --store names where one is`)
}

/** The file of a store on SQLite; `null`: the store is elsewhere. */
export function sqliteFileOf({ data, store }: DataSettings): string | null {
  if (store === undefined) return storeFile(data ?? '.seine')
  return store.startsWith('sqlite:') ? store.slice('sqlite:'.length) : null
}
