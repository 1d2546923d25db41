import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { words } from '../words.ts'

/**
 * Gives the focus to a button when it is first shown, and never again: the reader may have moved on
 * when a running execution renders the screen again. If the part of the page with the button and
 * the focus disappears, the focus returns to its earlier place.
 */
export function useFirstFocus() {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const before = document.activeElement
    const section = button.current?.closest('section')
    button.current?.focus()
    return () => {
      const isInside = section?.contains(document.activeElement) ?? false
      if (isInside && before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return button
}

/** The details of one record, beside its list. `key` names the record. */
export function Drawer({
  title,
  actions,
  onClose,
  children,
}: {
  readonly title: string
  /** Buttons before the close button. */
  readonly actions?: ComponentChildren
  readonly onClose: () => void
  readonly children: ComponentChildren
}) {
  const button = useFirstFocus()
  return (
    <section
      class="drawer"
      aria-label={title}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div class="head">
        <h2>{title}</h2>
        {actions}
        <button type="button" class="quiet" ref={button} onClick={onClose}>
          {words.run.close}
        </button>
      </div>
      {children}
    </section>
  )
}
