import { describe, expect, it } from 'vitest'
import { detect } from '../../../src/engine/extract/auto.ts'
import { formatPage } from '../../../src/engine/extract/format/format-page.ts'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'

const URL = 'https://news.example.com/feed'
const RSS = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>The Quay</title><link>https://news.example.com/</link>
<item><title>Tides &amp; times</title><link>/tides</link><pubDate>Tue, 06 Jan 2026 08:00:00 GMT</pubDate><dc:creator><![CDATA[Ann Mole]]></dc:creator>
<description>&lt;p&gt;High at &lt;b&gt;noon&lt;/b&gt;.&lt;/p&gt;&lt;p&gt;Low later.&lt;/p&gt;</description>
<content:encoded><![CDATA[<h2>Noon</h2><p>See <a href="/map">the map</a>.</p>]]></content:encoded><media:thumbnail url="https://news.example.com/t.png"/><category>sea</category><category>weather</category></item>
<item><title><![CDATA[No link]]></title><guid>https://news.example.com/no-link</guid><description>Plain: 1 < 2</description></item>
</channel></rss>`
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title>The Quay</title>
<entry><title type="text">a &lt;b&gt; c</title><link rel="self" href="https://news.example.com/1.atom"/><link rel="alternate" href="/one"/><updated>2026-01-06T08:00:00Z</updated><author><name>Ann</name></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One <em>two</em></p><p>three</p></div></content></entry>
<entry><title>Two</title><link href="https://news.example.com/two"/><published>2026-01-07T08:00:00Z</published><summary type="html">&lt;i&gt;short&lt;/i&gt;</summary><category term="sea"/></entry></feed>`
const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>The Quay</title></channel>
<item rdf:about="https://news.example.com/a"><title>A</title><link>https://news.example.com/a</link><dc:date>2026-01-06</dc:date></item></rdf:RDF>`

const pageOf = (text: string, contentType: string) => ({
  url: URL,
  contentType,
  body: new TextEncoder().encode(text),
})
const rows = (text: string, extract: object, contentType = 'application/xml') =>
  compileRecipe(parseRecipe({ start: { urls: [URL] }, extract })).process(
    pageOf(text, contentType),
    { label: 'start', depth: 0, hop: 1 },
  ).rows
const entries = (text: string, fields: object, contentType?: string) =>
  rows(text, { items: 'item, entry', fields }, contentType)

describe('a feed that is read as a page', () => {
  it.each([
    '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:title>One</a:title></a:entry></a:feed>',
    '<n:rss xmlns:n="http://backend.userland.com/rss2"><n:channel>' +
      '<n:item><n:title>One</n:title></n:item></n:channel></n:rss>',
    '<rdf:RDF xmlns:rdf="x" xmlns:r="http://purl.org/rss/1.0/">' +
      '<r:item><x:title>No</x:title><r:title>One</r:title></r:item></rdf:RDF>',
  ])('may have a prefix before its own names: %s', (text) => {
    expect(entries(text, { title: ':scope > title' })).toEqual([{ title: 'One' }])
    expect(
      entries(`<?xml version="1.0"?>${text}`, { title: ':scope > title' }, 'text/html'),
    ).toEqual([{ title: 'One' }])
  })

  it('keeps prefixes of other names', () => {
    const fields = { title: 'a\\:title', other: 'title' }
    const text = '<a:list xmlns:a="http://a.example/"><item><a:title>One</a:title></item></a:list>'
    expect(entries(text, fields)).toEqual([{ title: 'One', other: null }])
  })

  it('may use entities that it declares', () => {
    const text =
      '<!DOCTYPE rss [ <!ENTITY co "A &amp; B"> <!ENTITY amp "no"> <!ENTITY x SYSTEM "/x"> ' +
      '<!ENTITY me "&me;&co;"><!ENTITY co "later"> ]>' +
      '<rss><item><title a="&co;">&co; &amp; &x; <![CDATA[&co;]]> &me;</title></item></rss>'
    expect(entries(text, { title: 'title', a: { css: 'title', attr: 'a' } })).toEqual([
      { title: 'A & B & &x; &co; &me;&co;', a: 'A & B' },
    ])
  })

  it('becomes only a little longer by its entities', () => {
    const text = `<!DOCTYPE rss [<!ENTITY a "${'x'.repeat(1_000)}">]><rss><item><title>${'&a;'.repeat(10_000)}</title></item></rss>`
    const [row] = entries(text, { title: 'title' })
    expect(String(row?.['title']).length).toBe(100_000 + 9_900 * 3)
  })

  it('may be RSS 2.0, with prefixes, CDATA and HTML in text', () => {
    const fields = {
      title: 'title',
      link: { css: 'link', as: 'url' },
      date: { css: 'pubDate', as: 'date' },
      author: 'dc\\:creator',
      summary: 'description',
      full: { css: 'content\\:encoded', as: 'markdown' },
      html: { css: 'content|encoded', as: 'html' },
      image: { css: 'media\\:thumbnail', attr: 'url' },
      tags: { css: 'category', many: true },
    }
    expect(entries(RSS, fields)).toEqual([
      {
        title: 'Tides & times',
        link: 'https://news.example.com/tides',
        date: '2026-01-06T08:00:00Z',
        author: 'Ann Mole',
        summary: 'High at noon. Low later.',
        full: '## Noon\n\nSee [the map](https://news.example.com/map).',
        html: '<h2>Noon</h2><p>See <a href="/map">the map</a>.</p>',
        image: 'https://news.example.com/t.png',
        tags: ['sea', 'weather'],
      },
      {
        title: 'No link',
        link: null,
        date: null,
        author: null,
        summary: 'Plain: 1 < 2',
        full: null,
        html: null,
        image: null,
        tags: [],
      },
    ])
  })

  it('may be Atom, with links by relation, XHTML content and text that only looks like HTML', () => {
    expect(
      entries(ATOM, {
        title: 'title',
        link: { css: 'link:not([rel=self])', as: 'url' },
        content: 'content',
        html: { css: 'content, summary', as: 'html' },
        by: 'author > name',
      }),
    ).toEqual([
      {
        title: 'a <b> c',
        link: 'https://news.example.com/one',
        content: 'One two three',
        html: '<p>One <em>two</em></p><p>three</p>',
        by: 'Ann',
      },
      {
        title: 'Two',
        link: 'https://news.example.com/two',
        content: null,
        html: '<i>short</i>',
        by: null,
      },
    ])
  })

  it('may be RSS 1.0', () => {
    expect(
      entries(RDF, {
        title: 'title',
        about: { css: ':scope', attr: 'rdf:about' },
        date: { css: 'dc\\:date', as: 'date' },
      }),
    ).toEqual([{ title: 'A', about: 'https://news.example.com/a', date: '2026-01-06' }])
  })

  it('may be a JSON Feed', () => {
    const feed = JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      items: [{ id: '1', url: '/one', title: 'One' }],
    })
    expect(
      rows(
        feed,
        { items: '$.items[*]', fields: { title: '$.title', url: { json: '$.url', as: 'url' } } },
        'application/feed+json',
      ),
    ).toEqual([{ title: 'One', url: 'https://news.example.com/one' }])
  })

  it.each([
    'application/rss+xml',
    'text/xml; charset=utf-8',
    'text/html',
    'text/plain',
    '',
    'application/octet-stream',
  ])('is read as XML if it is served as %j', (contentType) => {
    expect(entries(RSS, { title: 'title' }, contentType)).toHaveLength(2)
    expect(entries(`\ufeff\n${ATOM}`, { title: 'title' }, contentType)).toHaveLength(2)
  })

  it('is detected, whatever its kind', () => {
    for (const [text, title, url] of [
      [RSS, 'Tides & times', 'https://news.example.com/tides'],
      [ATOM, 'a <b> c', 'https://news.example.com/one'],
      [RDF, 'A', 'https://news.example.com/a'],
    ] as const) {
      const { kind, extract } = detect(pageOf(text, 'text/xml'))
      expect([kind, rows(text, extract)[0]]).toMatchObject(['list', { title, url }])
    }
    expect(rows(RSS, detect(pageOf(RSS, 'text/xml')).extract)[1]).toMatchObject({
      url: 'https://news.example.com/no-link',
      categories: [],
    })
  })

  it('does not cause other XML to be read as HTML', () => {
    expect(
      rows('<list><a>1 &lt;b&gt; 2</a></list>', {
        fields: { a: 'a', html: { css: 'a', as: 'html' } },
      }),
    ).toEqual([{ a: '1 <b> 2', html: '<a>1 &lt;b&gt; 2</a>' }])
  })
})

describe('values that feeds express in many ways are read', () => {
  const EXTRAS = `<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">
<channel><title>Quay &rsquo; radio</title><link>https://radio.example.com/</link><description>Talks</description><language>en</language>
<managingEditor>ann@radio.example.com (Ann Mole)</managingEditor><lastBuildDate>Tue, 06 Jan 2026 08:00:00 EST</lastBuildDate><image><url>/logo.png</url><title>Logo</title></image>
<item><dc:title>One</dc:title><guid isPermaLink="false">tag:1</guid><itunes:author>Lee &lt;lee@radio.example.com&gt;</itunes:author><itunes:summary>Short</itunes:summary>
<dcterms:issued>2026-01-05</dcterms:issued><enclosure url="/one.mp3" type="audio/mpeg" length="42"/><itunes:keywords>sea,tide</itunes:keywords></item></channel></rss>`

  it('from modules: titles, dates, authors, enclosures', () => {
    const { extract } = detect(pageOf(EXTRAS, 'text/xml'))
    expect(rows(EXTRAS, extract)).toEqual([
      {
        title: 'One',
        url: null,
        date: '2026-01-05',
        author: 'Lee',
        summary: 'Short',
        categories: ['sea', 'tide'],
        id: 'tag:1',
        enclosures: [{ url: 'https://news.example.com/one.mp3', type: 'audio/mpeg', bytes: 42 }],
      },
    ])
  })

  it('from the feed itself: its metadata', () => {
    expect({
      metadata: formatPage(new PageContent(pageOf(EXTRAS, 'text/xml')), 'metadata'),
    }).toEqual({
      metadata: {
        title: 'Quay ’ radio',
        description: 'Talks',
        author: 'Ann Mole',
        site: null,
        date: '2026-01-06T08:00:00-05:00',
        language: 'en',
        canonical: 'https://radio.example.com/',
        image: 'https://news.example.com/logo.png',
        type: 'feed',
      },
    })
  })

  it('from Base64, and from HTML within an element', () => {
    const atom = `<feed><entry><title mode="base64">${btoa('A <b> c')}</title>
      <summary type="html"><div>One &lt;b&gt;two&lt;/b&gt;</div></summary>
      <content type="image/png">iVBORw0KGgo=</content></entry></feed>`
    expect(entries(atom, { title: 'title', summary: 'summary', content: 'content' })).toEqual([
      { title: 'A <b> c', summary: 'One two', content: 'iVBORw0KGgo=' },
    ])
  })
})
