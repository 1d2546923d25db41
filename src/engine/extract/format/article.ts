import type { Json } from '../../../kernel/json.ts'
import type { PageContent } from '../page/page-content.ts'
import { metadata } from './metadata.ts'

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu
/** Scripts without spaces between words: one for each character, as word processors count. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu

/** The page as an article: who wrote what where and when, and the text. `null` where the page has no text. */
export function article(page: PageContent, text: string, markdown: string): Json {
  if (text === '') return null
  const { title, author, date, site, language, description, image } = metadata(page)
  return { title, byline: author, published: date, siteName: site, language, excerpt: description, image, text, markdown, wordCount: wordsIn(text) }
}

function wordsIn(text: string): number {
  const ideographs = text.match(IDEOGRAPH)?.length ?? 0
  return ideographs + (text.replace(IDEOGRAPH, ' ').match(WORD)?.length ?? 0)
}
