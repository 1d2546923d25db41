/** Prefix of the entries with typed texts. */
export const TYPED = 'seine.typed '

/** The text in an entry of this tab. `null`: none. */
export function keptText(entry: string): string | null {
  return sessionStorage.getItem(entry)
}

/**
 * Stores a text in an entry. `null`: none. Browsers keep about 5 MB, so a larger text is lost after
 * a reload.
 */
export function keepText(entry: string, text: string | null): void {
  try {
    if (text !== null) return sessionStorage.setItem(entry, text)
  } catch {
    // There is no room for it, so an older text must not stay.
  }
  sessionStorage.removeItem(entry)
}

/** Deletes all typed texts, because the next user may be another person. */
export function forgetTyped(): void {
  for (const entry of Object.keys(sessionStorage))
    if (entry.startsWith(TYPED)) sessionStorage.removeItem(entry)
}

/** The entry with the caller who typed. */
const TYPIST = 'seine.typist'

/** Prefix of the caller in that entry, if the page was reloaded because of this caller. */
const ANEW = '*'

/**
 * Deletes the texts that another caller has typed in this tab, and then reloads the page.
 * `unsteady`: the page was just reloaded for the same reason, because the host names another caller
 * each time.
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
