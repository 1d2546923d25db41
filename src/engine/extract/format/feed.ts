import type { Json } from '../../../kernel/json.ts'
import { compileFields } from '../field-group.ts'
import { atOnce, type Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { collapse } from '../tree/text-content.ts'
import { CHANNEL_FIELDS, FEED_FIELDS } from './feed-fields.ts'

const LONGEST_SUMMARY = 1_000

/**
 * Converts a feed (RSS, RDF, Atom) to Markdown: its title, then its entries with link, date, author
 * and summary. `null` if the page is not a feed.
 */
export function feedMarkdown(page: PageContent): FeedMarkdown | null {
  return atOnce(feedParts(page))
}

/** A feed as Markdown. */
interface FeedMarkdown {
  readonly title: string | null
  readonly text: string
}

/** Like {@link feedMarkdown} in parts. */
export function* feedParts(page: PageContent): Parts<FeedMarkdown | null> {
  if (!page.isFeed) return null
  const { elements } = page.tree
  let end = -1
  // An entry inside another entry is part of the outer one.
  const entries = elements.filter(({ name, startIndex, endIndex }) => {
    if ((name !== 'item' && name !== 'entry') || (startIndex ?? 0) <= end) return false
    end = endIndex ?? -1
    return true
  })
  const channel = channelOf(page)
  const title = lineOf(channel['title'])
  const about = lineOf(channel['description'])
  const fields = compileFields(FEED_FIELDS, 'feed', [], 'element')
  const parts: string[] = []
  for (const element of entries) {
    yield
    parts.push(entryOf(fields.read(page, { element })))
  }
  return {
    title,
    text: [
      ...(title === null ? [] : [`# ${title}`]),
      ...(about === null ? [] : [about]),
      ...parts,
    ].join('\n\n'),
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

/** The values of the feed itself, by the columns of {@link CHANNEL_FIELDS}. */
export function channelOf(page: PageContent): { readonly [field: string]: Json } {
  const channel = page.tree.elements.find(({ name }) => name === 'channel' || name === 'feed')
  if (channel === undefined) return {}
  return compileFields(CHANNEL_FIELDS, 'feed', [], 'element').read(page, { element: channel })
}
