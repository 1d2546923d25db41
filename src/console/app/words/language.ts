import { choose, chosen } from '../choices.ts'

/** Languages of the console, each with its own name. */
export const LANGUAGES: Readonly<Record<string, string>> = { en: 'English', de: 'Deutsch' }

/** Languages other than English are loaded on demand. */
const OTHERS = { de: async () => (await import('./de.ts')).de }

/** The entry with the choice. It belongs to the reader, so it is permanent. */
const STORED = 'seine.language'

/** The language of the reader: the chosen one, or the first of the browser's languages that exists. */
export const language: string =
  [chosen(STORED), ...navigator.languages]
    .map((tag) => tag?.split('-')[0] ?? '')
    .find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? 'en'

/** The words of the reader's language. `null`: English, which is always loaded. */
export async function spoken() {
  const words = await spokenOf(OTHERS)
  if (words !== null) document.documentElement.lang = language
  return words
}

/** Loads words of the reader's language, if there are any. `null`: English is used. */
export async function spokenOf<T>(
  others: Readonly<Record<string, () => Promise<T>>>,
): Promise<T | null> {
  try {
    return (await others[language]?.()) ?? null
  } catch {
    return null
  }
}

/** Changes the language. The page is loaded again, and texts typed into the builder are kept. */
export function speak(tag: string): void {
  choose(STORED, tag)
  location.reload()
}
