import { htmlToMarkdown } from '@mdream/js'
import type { Element } from 'domhandler'
import type { PageContent } from '../page/page-content.ts'
import { outerHtml } from '../tree/serialise.ts'
import { isBeside } from './main-content.ts'

const LEFT_OUT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'embed', 'form', 'input', 'button', 'select', 'textarea', 'link', 'meta', 'title', 'head'])
const KEPT = new Set(['alt', 'title', 'colspan', 'rowspan', 'align', 'start'])

/** The converter takes some 80 ns for each character. */
const CONVERSION_STEPS = 3

/** An element as Markdown (CommonMark with GFM tables), links absolute, without what surrounds the content inside it. */
export function toMarkdown(element: Element, page: PageContent): string {
  const html = outerHtml(element, page.budget, {
    keep: (inner) => !LEFT_OUT.has(inner.name) && !isBeside(inner),
    attribute(name, value) {
      if (name === 'href') return page.resolve(value)
      if (name === 'src') return value.startsWith('data:') ? null : page.resolve(value)
      if (name === 'class') return /language-/.test(value) ? value : null
      return KEPT.has(name) ? value : null
    },
  })
  page.budget.work(CONVERSION_STEPS * html.length)
  try {
    return htmlToMarkdown(html).replace(/\n{3,}/g, '\n\n').trim()
  } catch {
    // The converter has thrown on a few real pages; no page may stop a run.
    return ''
  }
}
