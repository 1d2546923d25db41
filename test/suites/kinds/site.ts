import { parseRobots } from '../../../src/engine/site/robots-rules.ts'
import { SitemapParser } from '../../../src/engine/site/sitemap-parser.ts'
import { sitemapText } from '../../../src/engine/site/sitemap.ts'
import { decodeBody } from '../../../src/engine/extract/page/charset.ts'
import {
  CHANNEL_FIELDS,
  FEED_EXTRAS,
  FEED_FIELDS,
} from '../../../src/engine/extract/format/feed-fields.ts'
import { isObject } from '../../../src/kernel/json.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { alike, bare, isObject as isFields } from '../compare.ts'
import { rowsOf } from '../page.ts'
import type { Case, Kind, Value } from '../suite.ts'

/** Files that sites write for machines: robots.txt, sitemaps, feeds. */
export const siteKinds: Readonly<Record<string, Kind>> = {
  robots: { judge: judgeRobots },
  sitemap: { judge: judgeSitemap },
  feed: { judge: judgeFeed },
}

async function judgeRobots(one: Case): Promise<boolean> {
  const text = decodeBody(one.bytes('robots'), 'text/plain', 'text').toString()
  const checks = one.value('checks')
  if (Array.isArray(checks)) {
    for (const check of checks) if (!(isFields(check) && (await holds(text, check)))) return false
    return true
  }
  const { sitemaps, crawlDelayMs } = parseRobots(text, one.text('agent'), 'http://example.com/')
  const delay = one.value('crawlDelay')
  if (delay !== undefined) return (crawlDelayMs === null ? null : crawlDelayMs / 1_000) === delay
  if (one.value('sitemapCount') !== undefined) return sitemaps.length === one.value('sitemapCount')
  if (one.value('sitemaps') !== undefined) return alike([...sitemaps], one.value('sitemaps'))
  const [agent, url, allowed] = [one.text('agent'), one.text('url'), one.value('allowed') ?? null]
  return holds(text, { agent, url, allowed })
}

async function holds(text: string, check: { readonly [name: string]: Value }): Promise<boolean> {
  const url = new URL(String(check['url']))
  const rules = parseRobots(text, String(check['agent']), url.href)
  return (await rules.allows(url.pathname + url.search)) === check['allowed']
}

/** Most bytes of a sitemap by its protocol. */
const SITEMAP_BYTES = 50 * 1024 * 1024

async function judgeSitemap(one: Case): Promise<boolean> {
  const parser = new SitemapParser(one.text('url'))
  for await (const text of sitemapText(one.bytes('body'), SITEMAP_BYTES)) parser.write(text)
  const urls = [...parser.take()]
  for (const rest of parser.end()) urls.push(...rest)
  return alike(urls, asUrls(one, 'urls')) && alike([...parser.children], asUrls(one, 'children'))
}

function asUrls(one: Case, field: string): Value {
  return one.texts(field).map((url) => URL.parse(url)?.href ?? url)
}

/** The engine's columns, by the field's name in the suite. */
const COLUMNS: Readonly<Record<string, string>> = {
  link: 'url',
  published: 'date',
  created: 'date',
  'author.name': 'author',
  category: 'categories',
}

async function judgeFeed(one: Case): Promise<boolean> {
  const page = {
    url: one.text('url'),
    contentType: 'application/xml',
    body: one.bytes('body'),
  }
  const entry = one.value('entry')
  const isEntry = typeof entry === 'number'
  const items = isEntry ? 'item, entry' : 'channel, feed'
  const fields = isEntry ? { ...FEED_FIELDS, ...FEED_EXTRAS } : CHANNEL_FIELDS
  const rows = await rowsOf(
    { extract: { items, fields: JSON.parse(JSON.stringify(fields)) } },
    page,
  )
  const [row] = rows.slice(isEntry ? entry : 0)
  const column = columnOf(row ?? {}, one.text('field'))
  const date = one.value('date')
  const text = one.text('text', '')
  if (typeof column !== 'string')
    return typeof date !== 'string' && row !== undefined && text === ''
  if (typeof date === 'string') return Date.parse(column) === Date.parse(date)
  return ['link', 'image'].includes(one.text('field'))
    ? column === URL.parse(text)?.href
    : bare(column) === bare(text)
}

function columnOf(row: Row, field: string): Json {
  const [name = '', position = '0', part = ''] = field.split('.')
  const value = row[COLUMNS[field] ?? COLUMNS[name] ?? name] ?? null
  const member = listed(value)[Number(position)] ?? null
  if (name === 'categories' || name === 'category') return member
  if (name !== 'enclosures') return value
  const column = { href: 'url', type: 'type', length: 'bytes' }[part] ?? ''
  const text = isObject(member) ? member[column] : null
  return text === null || text === undefined ? null : String(text)
}

function listed(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : []
}
