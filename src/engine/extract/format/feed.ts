import type { Json } from '../../../kernel/json.ts'
import { compileFields } from '../field-group.ts'
import type { PageContent } from '../page/page-content.ts'
import { collapse, textOf } from '../tree/text-content.ts'
import type { Fields } from '../../recipe/recipe-input.ts'

const LONGEST_SUMMARY = 1_000
/** Elements before a feed's first entry that describe the feed. */
const HEAD = ['title', 'description', 'subtitle']

/**
 * Converts a feed (RSS, RDF, Atom) to Markdown: its title, then its entries with link, date, author
 * and summary. `null` if the page is not a feed.
 */
export function feedMarkdown(
  page: PageContent,
): { readonly title: string | null; readonly text: string } | null {
  if (!page.isFeed) return null
  const { elements } = page.tree
  let end = -1
  // An entry inside another entry is part of the outer one.
  const entries = elements.filter(({ name, startIndex, endIndex }) => {
    if ((name !== 'item' && name !== 'entry') || (startIndex ?? 0) <= end) return false
    end = endIndex ?? -1
    return true
  })
  const first = entries[0]
  const head = first === undefined ? elements : elements.slice(0, elements.indexOf(first))
  const [title = null, ...about] = HEAD.flatMap((name) =>
    head.filter((element) => element.name === name).slice(0, 1),
  )
    .map((element) => textOf(element, page.budget))
    .filter((text) => text !== '')
  const fields = compileFields(FEED_FIELDS, 'feed', [], 'element')
  const parts = entries.map((element) => entryOf(fields.read(page, { element })))
  return {
    title,
    text: [...(title === null ? [] : [`# ${title}`]), ...about, ...parts].join('\n\n'),
  }
}

function entryOf({
  title,
  url,
  date,
  author,
  summary,
}: {
  readonly [field: string]: Json
}): string {
  const name = lineOf(title) ?? lineOf(url) ?? 'Without a title'
  const link = lineOf(url)
  const facts = [lineOf(date), lineOf(author)].filter((fact) => fact !== null)
  return [
    `## ${link === null ? name : `[${name.replace(/[[\]]/g, '\\$&')}](<${link}>)`}`,
    ...(facts.length > 0 ? [facts.join(' · ')] : []),
    ...summaryOf(summary),
  ].join('\n\n')
}

function summaryOf(summary: Json | undefined): string[] {
  const text = lineOf(summary)
  if (text === null) return []
  return [
    text.length > LONGEST_SUMMARY ? `${text.slice(0, LONGEST_SUMMARY).toWellFormed()} …` : text,
  ]
}

function lineOf(value: Json | undefined): string | null {
  const text = typeof value === 'string' ? collapse(value) : ''
  return text === '' ? null : text
}

/** Fields of the entries of any feed: RSS 2.0 and 1.0, Atom. For use with `items: "item, entry"`. */
export const FEED_FIELDS: Fields = {
  title: 'title',
  url: [
    { css: 'link[rel=alternate]', as: 'url' },
    { css: 'link:not([rel])', as: 'url' },
    { css: 'guid:not([isPermaLink=false])', as: 'url' },
    { css: 'link', as: 'url' },
  ],
  date: [
    { css: 'pubDate', as: 'date' },
    { css: 'published', as: 'date' },
    { css: 'updated', as: 'date' },
    { css: 'dc\\:date', as: 'date' },
  ],
  author: ['dc\\:creator', 'author > name', 'author'],
  summary: ['description', 'summary', 'content\\:encoded', 'content'],
  categories: [
    { css: 'category[term]', attr: 'term', many: true },
    { css: 'category, dc\\:subject', many: true },
  ],
}
