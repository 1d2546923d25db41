import { htmlToMarkdown } from '@mdream/js'
import type { ParentNode } from 'domhandler'
import type { PageContent } from '../page/page-content.ts'
import { outerHtml } from '../tree/serialise.ts'

const LEFT_OUT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'embed', 'form', 'input', 'button', 'select', 'textarea', 'link', 'meta', 'title', 'head'])

/** Part of a page as Markdown (CommonMark with GFM tables), links absolute. */
export function toMarkdown(node: ParentNode, page: PageContent): string {
  const html = outerHtml(node, {
    keep: (name) => !LEFT_OUT.has(name),
    attribute: (name, value) => (name === 'href' || name === 'src' ? page.resolve(value) : name === 'alt' || name === 'title' || name === 'class' || name === 'colspan' ? value : null),
  })
  try {
    return htmlToMarkdown(html).trim()
  } catch {
    return ''
  }
}
