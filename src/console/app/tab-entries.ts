/** Prefix of the entries with typed texts. */
export const TYPED = 'seine.typed '

/** The text that is kept in an entry of this tab; `null`: none is. */
export function keptText(entry: string): string | null {
  return sessionStorage.getItem(entry)
}

/** Keeps a text in an entry. `null`: none. Browsers keep about 5 MB: more is gone after a reload. */
export function keepText(entry: string, text: string | null): void {
  try {
    if (text !== null) return sessionStorage.setItem(entry, text)
  } catch {
    // There is no room for it, so an older text must not stay.
  }
  sessionStorage.removeItem(entry)
}

/** Forgets all that was typed: whoever signs in next is somebody else. */
export function forgetTyped(): void {
  for (const entry of Object.keys(sessionStorage))
    if (entry.startsWith(TYPED)) sessionStorage.removeItem(entry)
}

/** The entry with the caller who typed. */
const TYPIST = 'seine.typist'

/** Prefix of the caller in that entry, if the page was reloaded because of this caller. */
const ANEW = '*'

/**
 * Forgets what another caller has typed in this tab: the page is then loaded anew. `unsteady`: the
 * page was reloaded just now for the same reason, because the host names another caller each time.
 */
export function forgetOthers(caller: string): 'same' | 'reloads' | 'unsteady' {
  const before = sessionStorage.getItem(TYPIST)
  sessionStorage.setItem(TYPIST, caller)
  if (before === null || before === caller || before === ANEW + caller) return 'same'
  forgetTyped()
  if (before.startsWith(ANEW)) return 'unsteady'
  sessionStorage.setItem(TYPIST, ANEW + caller)
  location.reload()
  return 'reloads'
}
