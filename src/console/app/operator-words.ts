import { english } from './words/en-operator.ts'
import { spokenOf } from './words/language.ts'

const german = await spokenOf({ de: async () => (await import('./words/de-operator.ts')).german })

/** The words of the operator's view, in the reader's language. */
export const operatorWords: typeof english = german ?? english
