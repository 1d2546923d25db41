/**
 * Maximum length of a search text for a search in linear time. Engines prepare a search for no more
 * of it: beyond this V8 continues by single characters, which can take the product of both
 * lengths.
 */
export const MOST_SOUGHT = 250

/**
 * Steps to search for one text in another, however many characters they share: up to some 7 ns per
 * searched character.
 */
export function searchSteps(text: string, sought = ''): number {
  return Math.ceil((text.length * (sought.length <= MOST_SOUGHT ? 1 : sought.length)) / 4)
}
