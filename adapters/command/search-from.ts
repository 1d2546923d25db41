import type { SearchProviderFactory } from 'seine'
import { createBraveSearch } from 'seine/brave'
import { createSearxngSearch } from 'seine/searxng'
import { CommandError } from './command-error.ts'

/** Settings of the web search for agents. */
export interface SearchSettings {
  /** URL of a SearXNG instance. */
  readonly url: string | undefined
  readonly onPrivateNetwork: boolean
  readonly braveKey: string | undefined
}

/**
 * Returns the provider that settings name; `null`: no provider is named.
 *
 * @throws {CommandError} for settings that are not valid
 */
export function searchFrom({
  url = '',
  onPrivateNetwork,
  braveKey = '',
}: SearchSettings): SearchProviderFactory | null {
  if (url !== '' && braveKey !== '')
    throw new CommandError('Both a SearXNG instance and a Brave Search key are set; choose one')
  if (braveKey !== '') return braveBy(braveKey)
  if (url === '') return null
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new CommandError('--search-url must be an http or https URL')
  const instance = createSearxngSearch({
    url: parsed,
    ...(onPrivateNetwork && { privateHost: parsed.hostname }),
  })
  return {
    create(services) {
      try {
        return instance.create(services)
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        throw new CommandError(
          `--search-url ${parsed.origin} is not public, or not https. If this is intended, add ` +
            '--search-on-private-network',
        )
      }
    },
  }
}

function braveBy(key: string): SearchProviderFactory {
  try {
    return createBraveSearch({ key })
  } catch {
    throw new CommandError('--brave-key is not a key of Brave Search')
  }
}
