import { effect, useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useLayoutEffect, useState } from 'preact/hooks'
import { screenAddress } from './screen-address.ts'

/** How the entries of what was typed begin. */
export const TYPED = 'seine.typed '

/** The last entry in a field of a screen, or what is in its place. It outlives a reload. */
export function useTyped<T>(field: string, initial: T): Signal<T> {
  const [entry] = useState(() => {
    const { screen, query } = screenAddress.peek()
    return TYPED + JSON.stringify([screen, query.get('id') ?? query.get('url'), field])
  })
  const [first] = useState(() => keptText(entry))
  const value = useSignal<T>(first === null ? initial : JSON.parse(first))
  const bare = JSON.stringify(initial)
  // Nothing is typed before it runs, and it also runs when the screen is left at once. What has been
  // saved in the meantime is not typed any more.
  useLayoutEffect(
    () =>
      effect(() => {
        const text = JSON.stringify(value.value)
        keepText(entry, text === bare ? null : text)
      }),
    [bare],
  )
  return value
}

/** The boxes of a form that are ticked, after one of them was clicked. */
export function toggled<T>(ticked: readonly T[], box: T): readonly T[] {
  return ticked.includes(box) ? ticked.filter((other) => other !== box) : [...ticked, box]
}

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
