import { wordsOf } from './words.ts'

const LENGTH = 400
const STEP = 100

/** The part of a text that has most of the words; its beginning, where it has none. */
export function passage(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  let best = { found: 0, at: 0 }
  for (let at = 0; at === 0 || at + STEP < plain.length; at += STEP) {
    const here = new Set(wordsOf(plain.slice(at, at + LENGTH)))
    const found = words.filter((word) => here.has(word)).length
    if (found > best.found) best = { found, at }
  }
  const start = best.at === 0 ? 0 : plain.indexOf(' ', best.at) + 1
  return plain
    .slice(start, start + LENGTH)
    .toWellFormed()
    .trim()
}
