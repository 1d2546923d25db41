/** How the entries of what was typed begin. */
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

/** Forgets what another caller has typed in this tab. True: the page is loaded anew for that. */
export function forgetOthers(caller: string): boolean {
  const before = sessionStorage.getItem(TYPIST)
  const isOther = before !== null && before !== caller
  if (isOther) forgetTyped()
  sessionStorage.setItem(TYPIST, caller)
  if (isOther) location.reload()
  return isOther
}
