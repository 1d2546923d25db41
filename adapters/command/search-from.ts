import type { SearchProviderFactory } from 'seine'
import { createBraveSearch } from 'seine/brave'
import { createSearxngSearch } from 'seine/searxng'
import { CommandError } from './command-error.ts'

/** Settings of the web search for agents. */
export interface SearchSettings {
  readonly url: string | undefined
  readonly onPrivateNetwork: boolean
  /**
   * `SEINE_SEARCH_URL`, and `SEINE_BRAVE_KEY`: a key on the command line could be read by every
   * user of the machine.
   */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Returns the provider that flags and environment name; `null`: none is named.
 *
 * @throws {CommandError} for settings that are not valid
 */
export function searchFrom({
  url = '',
  onPrivateNetwork,
  env,
}: SearchSettings): SearchProviderFactory | null {
  const address = url || env['SEINE_SEARCH_URL'] || ''
  const key = env['SEINE_BRAVE_KEY'] ?? ''
  if (address !== '' && key !== '')
    throw new CommandError('Both a SearXNG instance and a Brave Search key are set; choose one')
  if (key !== '') return braveBy(key)
  if (address === '') return null
  const parsed = URL.parse(address)
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
    throw new CommandError('SEINE_BRAVE_KEY is not a key of Brave Search')
  }
}
