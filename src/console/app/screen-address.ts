import { signal } from '@preact/signals'
import { facts } from './session.ts'

/** A screen and its content, as in the address. */
export interface ScreenAddress {
  /** Empty: the start. */
  readonly screen: string
  readonly query: URLSearchParams
}

function screenIn({ pathname, search }: Pick<Location, 'pathname' | 'search'>): ScreenAddress {
  return {
    screen: pathname.slice(facts.base.length).replace(/^\//, ''),
    query: new URLSearchParams(search),
  }
}

/** The screen in the address, and its query. */
export const screenAddress = signal<ScreenAddress>(screenIn(location))

/** The address of a screen. */
export function addressOf(screen: string, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString()
  return `${facts.base}${screen && `/${screen}`}${search && `?${search}`}`
}

/** Shows a screen. `replace`: the browser's back button skips the current one. */
export function go(
  screen: string,
  query: Readonly<Record<string, string>> = {},
  replace = false,
): void {
  const address = addressOf(screen, query)
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  screenAddress.value = screenIn(location)
}

/** Changes parts of the query of this screen. An empty value removes its name. */
export function changeQuery(values: Readonly<Record<string, string>>, replace = true): void {
  const { screen, query } = screenAddress.value
  const entries = Object.entries({ ...Object.fromEntries(query), ...values })
  go(screen, Object.fromEntries(entries.filter(([, value]) => value !== '')), replace)
}

addEventListener('popstate', () => (screenAddress.value = screenIn(location)))
