import type { Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import type { FORMATS } from '../../recipe/schema.ts'
import { makeJson } from '../page/json-size.ts'
import type { PageContent } from '../page/page-content.ts'
import { outerHtml } from '../tree/serialise.ts'
import { readableText } from '../tree/text-content.ts'
import { article } from './article.ts'
import { isBeside, mainContent } from './main-content.ts'
import { toMarkdown } from './markdown.ts'
import { metadata } from './metadata.ts'
import { pageLinks } from './page-links.ts'
import { pdfFacts, plainText } from './pdf-formats.ts'
import { structured } from './structured.ts'

const LEFT_OUT = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'embed',
  'link',
  'meta',
  'base',
])

/**
 * Turns a whole page into a format; `null` where the page has nothing of it. `text` and `markdown`
 * are of the main content; `html` is the body without scripts and styles, links absolute, no event
 * handlers.
 */
export function formatPage(page: PageContent, format: (typeof FORMATS)[number]): Json {
  const value = makeFormat(page, format)
  makeJson(value, page.budget)
  return value
}

function makeFormat(page: PageContent, format: (typeof FORMATS)[number]): Json {
  if (page.kind === 'other' || (page.kind === 'pdf' && page.pdf === null)) return null
  switch (format) {
    case 'markdown':
      return markdownOf(page) || null
    case 'text':
      return textOfPage(page) || null
    case 'html':
      return htmlOf(page) || null
    case 'links':
      return page.kind === 'html' ? pageLinks(page) : []
    case 'metadata':
      return page.kind === 'html'
        ? { ...metadata(page) }
        : page.pdf !== null
          ? { ...pdfFacts(page.pdf) }
          : null
    case 'article':
      return page.kind === 'html'
        ? article(metadata(page), textOfPage(page), markdownOf(page))
        : page.pdf !== null
          ? article(pdfFacts(page.pdf), textOfPage(page), markdownOf(page))
          : null
    case 'structured':
      return page.kind === 'html' ? structured(page) : null
    case 'screenshot':
      // The picture itself is taken where the page is rendered.
      return page.kind === 'html' ? { sourceUrl: page.url } : null
  }
}

function markdownOf(page: PageContent): string {
  if (page.kind === 'text' || page.kind === 'csv' || page.kind === 'pdf') return page.text.trim()
  if (page.kind === 'json' || page.kind === 'lines')
    return `\`\`\`json\n${page.text.trim()}\n\`\`\``
  const main = mainContent(page)
  return main === null ? '' : toMarkdown(main, page)
}

function textOfPage(page: PageContent): string {
  if (page.pdf !== null) return plainText(page.pdf)
  if (page.kind === 'text' || page.isData) return page.text.trim()
  const main = page.kind === 'xml' ? page.tree.root : mainContent(page)
  if (main === null) return ''
  return readableText(
    main,
    '\n',
    page.budget,
    (element: Element) => element === main || !isBeside(element),
  )
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}

function htmlOf(page: PageContent): string {
  if (page.kind !== 'html') return ''
  const body = page.tree.elements.find((element) => element.name === 'body')
  if (body === undefined) return ''
  return outerHtml(body, page.budget, {
    keep: (element) => !LEFT_OUT.has(element.name),
    attribute: (name, value) =>
      name.startsWith('on') || name === 'style'
        ? null
        : (name === 'href' || name === 'src') && !value.startsWith('#')
          ? page.resolve(value)
          : value,
  })
}
