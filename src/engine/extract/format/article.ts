import type { Json } from '../../../kernel/json.ts'
import type { PageContent } from '../page/page-content.ts'
import { countWords } from './count-words.ts'
import { metadata } from './metadata.ts'

/** The page as an article: who wrote what where and when, and the text. `null` where the page has no text. */
export function article(page: PageContent, text: string, markdown: string): Json {
  if (text === '') return null
  const { title, author, date, site, language, description, image } = metadata(page)
  return { title, byline: author, published: date, siteName: site, language, excerpt: description, image, text, markdown, wordCount: countWords(text) }
}
