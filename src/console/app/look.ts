import { effect, signal } from '@preact/signals'

/** Light or dark; `system`: as the reader's system has it. */
export const LOOKS = ['system', 'light', 'dark'] as const

type Look = (typeof LOOKS)[number]

/** Where the choice is kept: it is about the reader, so it stays. */
const STORED = 'seine.look'

/** The look that the reader has chosen. */
export const look = signal<Look>(
  LOOKS.find((one) => one === localStorage.getItem(STORED)) ?? 'system',
)

effect(() => {
  if (look.value === 'system') localStorage.removeItem(STORED)
  else localStorage.setItem(STORED, look.value)
  document.documentElement.dataset['look'] = look.value
})
