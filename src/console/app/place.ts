import { signal } from '@preact/signals'
import { facts } from './session.ts'

/** A screen with what it shows, as the address has it. */
export interface Place {
  /** Empty: the start. */
  readonly screen: string
  readonly query: URLSearchParams
}

function placeOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Place {
  return {
    screen: pathname.slice(facts.base.length).replace(/^\//, ''),
    query: new URLSearchParams(search),
  }
}

/** The screen in the address, and its query. */
export const place = signal<Place>(placeOf(location))

/** The address of a screen. */
export function addressOf(screen: string, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString()
  return `${facts.base}${screen && `/${screen}`}${search && `?${search}`}`
}

/** Shows a screen. `replace`: the way back leads to what was before this one. */
export function go(
  screen: string,
  query: Readonly<Record<string, string>> = {},
  replace = false,
): void {
  const address = addressOf(screen, query)
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  place.value = placeOf(location)
}

/** Changes parts of the query of this screen. An empty value takes its name out. */
export function changeQuery(values: Readonly<Record<string, string>>, replace = true): void {
  const { screen, query } = place.value
  const entries = Object.entries({ ...Object.fromEntries(query), ...values })
  go(screen, Object.fromEntries(entries.filter(([, value]) => value !== '')), replace)
}

addEventListener('popstate', () => (place.value = placeOf(location)))
