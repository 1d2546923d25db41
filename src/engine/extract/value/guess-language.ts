/** Frequent short words, by language. */
const WORDS: Readonly<Record<string, string>> = {
  en: 'the and of to with for is are by from this that you your our was were have has not or',
  de: 'der das und ist mit für von auf ein eine einen den dem nicht sich auch wir oder wird bei',
  es: 'el los las y en que una con del para por como más su se es lo un al este esta son hay',
  fr: 'le les des et pour une est dans avec sur vous nous votre par du au ce cette sont plus',
  it: 'il gli della di per che non sono nel del alla dei delle questo anche più è e con una',
  nl: 'het een van voor met op niet ook zijn aan bij naar uit wordt deze onze maar of je wij',
  pt: 'os da do dos das para com uma não em ao pela pelo são mais seu sua você ou à',
  pl: 'i w na z do się nie jest że oraz dla jak przez od po lub są tym które już',
  sv: 'och att det som för på är av med till inte har den ett om vi du eller från kan',
  da: 'og at det som på er af med til ikke har den et om vi du eller fra kan også',
}
/** A language whose countries write numbers in different ways. */
const WITHOUT_ONE_WAY = 'es'
/** Maximum number of words of a text that are checked. */
const MOST_WORDS = 3_000
/** Minimum number of words of a language, and the minimum ratio to those of the next language. */
const LEAST = 15
const TIMES = 3

const languages = new Map<string, string[]>()
for (const [language, words] of Object.entries(WORDS))
  for (const word of words.split(' '))
    languages.set(word, [...(languages.get(word) ?? []), language])

/**
 * Guesses the language of a text by its short words, to know how it writes numbers. `null`: it is
 * too short, in another language, in several languages, or in one that writes numbers in several
 * ways.
 */
export function guessLanguage(text: string): string | null {
  const counts = new Map<string, number>()
  let left = MOST_WORDS
  for (const { 0: word } of text.matchAll(/\p{L}+/gu)) {
    if (left-- === 0) break
    for (const language of languages.get(word.toLowerCase()) ?? [])
      counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  const [best, next] = [...counts].toSorted(([, a], [, b]) => b - a)
  if (best === undefined || best[1] < LEAST || best[0] === WITHOUT_ONE_WAY) return null
  return next === undefined || best[1] >= TIMES * next[1] ? best[0] : null
}
