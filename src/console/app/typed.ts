import { effect, useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { screenAddress } from './screen-address.ts'
import { keepText, keptText, TYPED } from './tab-entries.ts'

/** The last value that was typed into a field of a screen, else `initial`. It survives a reload. */
export function useTyped<T>(field: string, initial: T): Signal<T> {
  const [entry] = useState(() => {
    const { screen, query } = screenAddress.peek()
    return TYPED + JSON.stringify([screen, query.get('id') ?? query.get('url'), field])
  })
  const [first] = useState(() => keptText(entry))
  const value = useSignal<T>(first === null ? initial : JSON.parse(first))
  const bare = JSON.stringify(initial)
  const before = useRef(bare)
  // It runs before anything is typed, and also when the screen is left at once. A value that has
  // been saved in the meantime no longer counts as typed.
  useLayoutEffect(() => {
    // The server has another value now, and nobody has changed the old one.
    if (JSON.stringify(value.peek()) === before.current) value.value = initial
    before.current = bare
    return effect(() => {
      const text = JSON.stringify(value.value)
      keepText(entry, text === bare ? null : text)
    })
  }, [bare])
  return value
}

/** The ticked checkboxes of a form, after one of them was clicked. */
export function toggled<T>(ticked: readonly T[], box: T): readonly T[] {
  return ticked.includes(box) ? ticked.filter((other) => other !== box) : [...ticked, box]
}

/** Typed columns, separated by commas. */
export function typedColumns(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
}
