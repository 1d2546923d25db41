import { choose, chosen } from '../choices.ts'

/** Languages of the console, each with its own name. */
export const LANGUAGES: Readonly<Record<string, string>> = { en: 'English', de: 'Deutsch' }

/** Others than English are loaded when they are read. */
const OTHERS = { de: async () => (await import('./de.ts')).de }

/** The entry with the choice: it is about the reader, so it stays. */
const STORED = 'seine.language'

/** The language of the reader: the one that was chosen, or the first of the browser's that is there. */
export const language: string =
  [chosen(STORED), ...navigator.languages]
    .map((tag) => tag?.split('-')[0] ?? '')
    .find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? 'en'

/** The words of the reader's language; `null`: English, which is always there. */
export async function spoken() {
  const words = await spokenOf(OTHERS)
  if (words !== null) document.documentElement.lang = language
  return words
}

/** Loads words of the reader's language, if it is among the others; `null`: English is used. */
export async function spokenOf<T>(
  others: Readonly<Record<string, () => Promise<T>>>,
): Promise<T | null> {
  try {
    return (await others[language]?.()) ?? null
  } catch {
    return null
  }
}

/** Takes another language: the page begins anew, and what was typed into the builder is kept. */
export function speak(tag: string): void {
  choose(STORED, tag)
  location.reload()
}
