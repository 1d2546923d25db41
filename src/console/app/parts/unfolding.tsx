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

/** A part of a screen that opens by a click. The address has those that are open; ids have no space. */
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
  // It is scrolled into view, because the reader has followed a link to it.
  useLayoutEffect(() => {
    if (isOpenIn(id)) part.current?.scrollIntoView()
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
