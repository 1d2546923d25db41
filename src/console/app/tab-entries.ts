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

const forgetters = new Set<() => void>()

/** Calls a function when all that was typed is forgotten. */
export function whenForgotten(forget: () => void): void {
  forgetters.add(forget)
}

/** Forgets all that was typed: whoever signs in next is somebody else. */
export function forgetTyped(): void {
  for (const forget of forgetters) forget()
  for (const entry of Object.keys(sessionStorage))
    if (entry.startsWith(TYPED)) sessionStorage.removeItem(entry)
}

/** The entry with the caller who typed. */
const TYPIST = 'seine.typist'

/** Forgets what another caller has typed in this tab, whose session has ended. */
export function forgetOthers(caller: string): void {
  const before = sessionStorage.getItem(TYPIST)
  if (before !== null && before !== caller) forgetTyped()
  sessionStorage.setItem(TYPIST, caller)
}
