import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { changeQuery, screenAddress } from '../screen-address.ts'
import { toggled } from '../typed.ts'

function openIds(): readonly string[] {
  return (screenAddress.value.query.get('open') ?? '').split(' ').filter(Boolean)
}

/** True if the address says that a part of the screen is open. */
export function isOpenIn(id: string): boolean {
  return openIds().includes(id)
}

/**
 * The parts that were open in the address that led here. A reader who followed such a link is
 * scrolled to them, however long the list is, but only once, and not when a filtered list shows
 * them again.
 */
const linked = new Set(openIds())

/**
 * A part of a screen that opens with a click. The address has the ids of open parts, which contain
 * no space.
 */
export function Unfolding({
  id,
  summary,
  children,
}: {
  readonly id: string
  readonly summary: ComponentChildren
  readonly children: ComponentChildren
}) {
  const part = useRef<HTMLDetailsElement>(null)
  useLayoutEffect(() => {
    if (linked.delete(id)) part.current?.scrollIntoView()
  }, [])
  return (
    <details
      ref={part}
      class="tool"
      open={isOpenIn(id)}
      onToggle={({ currentTarget: { open } }) => {
        if (open !== isOpenIn(id)) changeQuery({ open: toggled(openIds(), id).join(' ') })
      }}
    >
      <summary>{summary}</summary>
      {children}
    </details>
  )
}
