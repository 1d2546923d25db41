import type { Fields } from '../../recipe/recipe-input.ts'
import type { PageContent } from '../page/page-content.ts'

/** RSS writes people as mail addresses with a name. */
const nameAt = (css: string) => ({ css, transform: ['name' as const] })

/**
 * Columns of the entries of any feed: RSS 0.9 to 2.0, RDF, Atom 0.3 and 1.0, with the modules that
 * feeds use (Dublin Core, content, iTunes, Media RSS). For use with `items: "item, entry"`.
 */
export const FEED_FIELDS: Fields = {
  title: [':scope > title', 'dc\\:title', 'media\\:title', 'itunes\\:title', 'title'],
  url: [
    { css: 'link[rel=alternate]', as: 'url' },
    { css: 'link:not([rel])', as: 'url' },
    { css: 'guid:not([isPermaLink=false])', as: 'url' },
    { css: 'link', as: 'url' },
  ],
  date: [
    'pubDate',
    'published',
    'issued',
    'dcterms\\:issued',
    'created',
    'dcterms\\:created',
    'dc\\:date',
    'updated',
    'modified',
    'dcterms\\:modified',
  ].map((css) => ({ css, as: 'date' as const })),
  author: ['dc\\:creator', 'author > name', 'author', 'itunes\\:author', 'dc\\:author'].map(nameAt),
  summary: [
    ':scope > description',
    'dc\\:description',
    'summary',
    'itunes\\:summary',
    'media\\:description',
    'content\\:encoded',
    'content',
  ],
  categories: [
    { css: 'category[term]', attr: 'term', many: true },
    { css: 'category, dc\\:subject, media\\:category', many: true },
    { css: 'itunes\\:category[text]', attr: 'text', many: true },
    { css: 'itunes\\:keywords, tags', transform: [{ split: ',' }], many: true },
  ],
}

/** Columns that entries have only in some feeds. */
export const FEED_EXTRAS = {
  id: ['guid', 'id'],
  updated: ['updated', 'modified', 'dcterms\\:modified', 'dc\\:date'].map((css) => ({
    css,
    as: 'date' as const,
  })),
  content: ['content\\:encoded', ':scope > content', 'fullitem', 'body, xhtml\\:body'],
  enclosures: {
    css: 'enclosure, link[rel=enclosure], media\\:content[url]',
    many: true,
    fields: {
      url: [
        { css: ':scope', attr: 'url', as: 'url' },
        { css: ':scope', attr: 'href', as: 'url' },
      ],
      type: { css: ':scope', attr: 'type' },
      bytes: [
        { css: ':scope', attr: 'length', as: 'integer' },
        { css: ':scope', attr: 'fileSize', as: 'integer' },
      ],
    },
  },
} satisfies Fields

/** The extra columns, with the names of elements that contain their value. */
const SIGNS: readonly (readonly [column: keyof typeof FEED_EXTRAS, signs: readonly string[]])[] = [
  ['id', ['guid', 'id']],
  ['updated', ['updated', 'modified', 'dcterms:modified']],
  ['content', ['content:encoded', 'content', 'fullitem', 'xhtml:body']],
  ['enclosures', ['enclosure', 'media:content']],
]

/** The columns of the entries of this feed. */
export function feedFields({ tree, budget }: PageContent): Fields {
  budget.work(tree.elements.length)
  const names = new Set(
    tree.elements.map(({ name, attribs }) => (attribs['rel'] === 'enclosure' ? 'enclosure' : name)),
  )
  const present = SIGNS.flatMap(([column, signs]) =>
    signs.some((name) => names.has(name)) ? [[column, FEED_EXTRAS[column]] as const] : [],
  )
  return { ...FEED_FIELDS, ...Object.fromEntries(present) }
}

/** Fields of the feed itself. For use with `items: "channel, feed"`. */
export const CHANNEL_FIELDS: Fields = {
  title: [':scope > title', ':scope > dc\\:title', ':scope > image > title'],
  description: [
    ':scope > description',
    ':scope > subtitle',
    ':scope > tagline',
    ':scope > info',
    ':scope > dc\\:description',
    ':scope > itunes\\:summary',
    ':scope > itunes\\:subtitle',
    ':scope > abstract',
  ],
  url: [
    { css: ':scope > link[rel=alternate]', as: 'url' },
    { css: ':scope > link:not([rel])', as: 'url' },
    { css: ':scope > link:not([rel=self]):not([rel=hub])', as: 'url' },
  ],
  id: ':scope > id',
  author: [
    ':scope > author > name',
    ':scope > managingEditor',
    ':scope > dc\\:creator',
    ':scope > dc\\:author',
    ':scope > itunes\\:author',
    ':scope > author',
    ':scope > webMaster',
    ':scope > dc\\:publisher',
  ].map(nameAt),
  date: ['pubDate', 'published', 'issued', 'dc\\:date', 'dcterms\\:issued'].map((name) => ({
    css: `:scope > ${name}`,
    as: 'date' as const,
  })),
  updated: [
    'updated',
    'modified',
    'lastBuildDate',
    'dcterms\\:modified',
    'dc\\:date',
    'pubDate',
  ].map((name) => ({ css: `:scope > ${name}`, as: 'date' as const })),
  language: [':scope > language', ':scope > dc\\:language', { css: ':scope', attr: 'xml:lang' }],
  image: [
    { css: ':scope > image > url', as: 'url' },
    { css: ':scope > itunes\\:image[href]', attr: 'href', as: 'url' },
    { css: ':scope > itunes\\:image[url]', attr: 'url', as: 'url' },
    { css: ':scope > itunes\\:link[rel=image]', attr: 'href', as: 'url' },
    { css: ':scope > logo', as: 'url' },
    { css: ':scope > icon', as: 'url' },
  ],
  rights: [':scope > rights', ':scope > copyright', ':scope > dc\\:rights'],
  generator: [
    ':scope > generator',
    { css: ':scope > admin\\:generatorAgent', attr: 'rdf:resource' },
  ],
  categories: [
    { css: ':scope > category[term]', attr: 'term', many: true },
    { css: ':scope > category, :scope > dc\\:subject', many: true },
    {
      css: ':scope > itunes\\:category[text], :scope > itunes\\:category > itunes\\:category[text]',
      attr: 'text',
      many: true,
    },
    { css: ':scope > itunes\\:keywords', transform: [{ split: ',' }], many: true },
  ],
}
