import type { Json } from '../../../kernel/json.ts'
import { countWords } from './count-words.ts'
import type { Metadata } from './metadata.ts'

/**
 * The page as an article: who wrote what where and when, and the text. `null` where the page has no
 * text.
 */
export function article(
  { title, author, date, site, language, description, image }: Metadata,
  text: string,
  markdown: string,
): Json {
  if (text === '') return null
  return {
    title,
    byline: author,
    published: date,
    siteName: site,
    language,
    excerpt: description,
    image,
    text,
    markdown,
    wordCount: countWords(text),
  }
}
