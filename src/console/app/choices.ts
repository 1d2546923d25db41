import { effect, signal } from '@preact/signals'

// Choices are about the reader, so they stay when the tab is closed. If a browser stores nothing
// for a site, it throws even on reading. Then choices last until the page is left.

/** The earlier choice. `null`: none. */
export function chosen(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Stores a choice. `null` removes it. */
export function choose(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // The choice lasts until the page is left.
  }
}

/** Light or dark; `system`: as the reader's system has it. */
export const LOOKS = ['system', 'light', 'dark'] as const

const LOOK = 'seine.look'

/** The look that the reader has chosen. */
export const look = signal(LOOKS.find((name) => name === chosen(LOOK)) ?? 'system')

/** Applies the chosen look, and stores the choice. */
export function followLook(): void {
  effect(() => {
    choose(LOOK, look.value === 'system' ? null : look.value)
    document.documentElement.dataset['look'] = look.value
  })
}
