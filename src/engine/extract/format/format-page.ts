import type { Json } from '../../../kernel/json.ts'
import type { FORMATS } from '../../recipe/schema.ts'
import type { PageContent } from '../page/page-content.ts'
import { readableText } from '../tree/text-content.ts'
import { toMarkdown } from './markdown.ts'

/** Turns a whole page into a format; `null` where the page has nothing of it. */
export function formatPage(page: PageContent, format: (typeof FORMATS)[number]): Json {
  switch (format) {
    case 'markdown':
      return toMarkdown(page.tree.document, page) || null
    case 'text':
      return readableText(page.tree.document, '\n') || null
    case 'html':
      return null
    case 'links':
      return null
    case 'metadata':
      return null
  }
}
