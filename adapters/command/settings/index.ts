/**
 * The settings of `seine serve` in a file, `seine.config.ts`.
 *
 * @module
 */
import type { ConfigSettings } from './table.ts'

export type { LoggedRequests } from '../log-requests.ts'
export type { CamelCase, ConfigSettings, SettingName, Settings } from './table.ts'

/**
 * Gives a configuration its types. Use it as the default export of `seine.config.ts` in the folder
 * where `seine serve` is started.
 *
 * @example
 *   export default defineConfig({
 *     publicUrl: 'https://data.example.com',
 *     rate: { tasks: '600/60s' },
 *     plans: [{ id: 'free', name: 'Free', creditsPerMonth: 1_000 }],
 *   })
 */
export function defineConfig(settings: ConfigSettings): ConfigSettings {
  return settings
}
