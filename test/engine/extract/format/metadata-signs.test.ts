import { describe, expect, test } from 'vitest'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { metadataParts } from '../../../../src/engine/extract/format/metadata.ts'
import type { Metadata } from '../../../../src/engine/extract/format/metadata.ts'
import { PageContent } from '../../../../src/engine/extract/page/page-content.ts'

function metadataOf(
  body: string,
  head = '',
  root = 'lang="en"',
  url = 'https://www.harbour-news.example/boats',
): Metadata {
  const html = `<!doctype html><html ${root}><head>${head}</head><body>${body}</body></html>`
  const page = new PageContent({
    url,
    contentType: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(html),
  })
  return atOnce(metadataParts(page))
}

const authorOf = (body: string, head = ''): string | null => metadataOf(body, head).author
const dateOf = (body: string, head = ''): string | null => metadataOf(body, head).date
const data = (value: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`
const meta = (name: string, content: string): string => `<meta name="${name}" content="${content}">`
/** More lines than those in which a plain preposition names the author. */
const LINES = '<p>The boats of the harbour.</p>'.repeat(80)

describe('the author', () => {
  test('is the person in the data, and not another name in a meta element', () => {
    const ann = { '@type': 'Person', name: 'Ann Field' }
    const head = meta('author', 'Masts Publishing House') + data({ headline: 'Boats', author: ann })
    expect(authorOf('<h1>Boats</h1>', head)).toBe('Ann Field')
  })

  test('is the first stated one that is a person', () => {
    const head = meta('author', 'Harbour News') + meta('parsely-author', 'Ann Field')
    expect(authorOf('<h1>Boats</h1>', head)).toBe('Ann Field')
    expect(authorOf('<h1>Boats</h1>', meta('cXenseParse:author', 'Ann Field'))).toBe('Ann Field')
    const office = meta('author', 'Redaktion Boote') + meta('byl', 'By Ann Field')
    expect(authorOf('<h1>Boats</h1>', office)).toBe('Ann Field')
  })

  test('are all of several meta elements of one name', () => {
    const head = meta('DC.Creator', 'Ann Field') + meta('DC.Creator', 'Bo Dale')
    expect(authorOf('<h1>Boats</h1>', head)).toBe('Ann Field, Bo Dale')
  })

  test('is as the page shows it: with others, a family name, or instead of a login', () => {
    const shown = (stated: string, body: string): string | null =>
      authorOf(`<h1>Boats</h1>${body}`, meta('author', stated))
    expect(shown('Ann Field', '<p class="author">by Ann Field and Bo Dale</p>')).toBe(
      'Ann Field and Bo Dale',
    )
    expect(shown('Ann', '<p>A column about the sea</p><p>By Ann Field</p>')).toBe('Ann Field')
    expect(shown('ann-field', '<p class="author">Ann Field</p>')).toBe('Ann Field')
    expect(shown('Ann Field', '<p class="author">Ann Field writes</p>')).toBe('Ann Field')
  })

  test('is behind a label, anywhere in the content', () => {
    for (const line of [
      '<span>Autor:</span> Ann Field<br>',
      '<b>Von:</b><br><br>Ann Field',
      '<p>Words: Ann Field</p>',
      '<dl><dt>Auteur</dt><dd>Ann Field</dd></dl>',
    ])
      expect(authorOf(`<h1>Boats</h1>${LINES}<div>${line}</div>`), line).toBe('Ann Field')
    expect(authorOf(`<h1>Boats</h1>${LINES}<p>Text: boats and masts</p>`)).toBeNull()
    expect(authorOf(`<h1>Boats</h1>${LINES}<p>Von Bea Moor</p>`)).toBeNull()
  })

  test('is named in a box about the author', () => {
    const box = (name: string): string =>
      `<h1>Boats</h1>${LINES}<div class="${name}"><h3>Ann Field</h3><p>All by Ann Field</p></div>`
    for (const name of ['author-bio footer', 'post-author-box', 'about-the-author', 'authorinfo'])
      expect(authorOf(box(name)), name).toBe('Ann Field')
    expect(authorOf(box('teaser'))).toBeNull()
  })

  test('is in a line with those of pictures, up to a line break', () => {
    for (const line of [
      'Text von Ann Field Illustration von Bo Dale',
      'Eine Kolumne von Ann Field',
      'Text und Fotos: Ann Field',
      'Von <b>Ann Field</b><br>Portland',
      'Von An\u00ADn Field',
    ])
      expect(authorOf(`<h1>Boats</h1><p>${line}</p>`), line).toBe('Ann Field')
  })

  test('is in an aside right after the title of an article', () => {
    const aside = '<aside><p class="author">Ann Field</p></aside>'
    expect(authorOf(`<article><header><h1>Boats</h1></header>${aside}</article>`)).toBe('Ann Field')
    expect(authorOf(`<article><h1>Boats</h1></article>${aside}`)).toBeNull()
  })

  test('is not the name of the site on its way home, which is marked as the author', () => {
    const home = '<h3 class="author"><a href="/">The Harbour Archive</a></h3>'
    const title = '<h1>Boats come back</h1>'
    expect(authorOf(`${home}${title}<p class="author">Ann Field</p>`)).toBe('Ann Field')
    expect(authorOf(home + title)).toBeNull()
  })

  test('may lead home below the title, on the site of one author', () => {
    const line = '<p class="author"><a href="/">Ann Field</a></p>'
    expect(authorOf(`<h1>Boats come back</h1>${line}`)).toBe('Ann Field')
  })

  test('is in the line above the title, behind a dash', () => {
    const line = '<div>5.1.2026 <span>- Redaktion: Ann Field (Harbour Office)</span></div>'
    expect(authorOf(`${line}<h1>Boats</h1>`)).toBe('Ann Field')
    const other = '<h2>Masts of the harbour</h2><p>By Bo Dale</p>'
    expect(authorOf(`<div>${other}</div><h1>Boats</h1>`)).toBeNull()
  })

  test('is in a cell of a line, and not the publisher', () => {
    const cells = '<td>5.1.2026<td>Boats | Masts<td><q>Text & Fotos:</q> Ann Field <td>0<td>337'
    const body = `<table><tr>${cells}</table><h1>Boats</h1>`
    const head = meta('author', 'Masts Press') + meta('DC.publisher', 'Masts Press')
    expect(authorOf(body, head)).toBe('Ann Field')
    expect(authorOf('<h1>Boats</h1>', head)).toBe('Masts Press')
  })

  test('is spelled out anywhere, if the page states its login', () => {
    const line = '<footer><span>Ann Field</span></footer>'
    const login = meta('twitter:creator', '@AnnField')
    expect(authorOf(`<h1>Boats</h1>${line}`, login)).toBe('Ann Field')
    expect(authorOf(`<h1>Boats</h1>${line}`)).toBeNull()
    expect(authorOf(`<h1>Boats</h1>${line}<p class="author">Bo Dale</p>`, login)).toBe('Bo Dale')
  })

  test('is not the site with its town, where the page names a person', () => {
    const head = meta('author', 'Harbour News, Portland, Dorset')
    const site = meta('og:site_name', 'Harbour News')
    expect(authorOf('<h1>Boats</h1><p class="author">Ann Field</p>', head + site)).toBe('Ann Field')
    expect(authorOf('<h1>Boats</h1>', head + site)).toBe('Harbour News, Portland, Dorset')
  })

  test('is the source of the text, where only the site is its author', () => {
    const site = meta('author', 'harbour-news')
    const source = '<p>Quelle: Harbour Agency/af</p>'
    expect(authorOf(`<h1>Boats</h1>${LINES}${source}`, site)).toBe('Harbour Agency/af')
    expect(authorOf(`<h1>Boats</h1><div><footer>${source}</footer></div>`, site)).toBe(
      'Harbour Agency/af',
    )
    expect(authorOf(`<h1>Boats</h1>${source}`)).toBeNull()
    expect(authorOf(`<h1>Boats</h1>${source}`, meta('author', 'Ann Field'))).toBe('Ann Field')
    for (const name of ['image-caption', 'photo'])
      expect(authorOf(`<h1>Boats</h1><div class="${name}">${source}</div>`, site)).toBe(
        'harbour-news',
      )
  })

  test('is not one of several sources, nor that of a part, and a person may be the site', () => {
    const site = meta('author', 'harbour-news')
    const source = (name: string): string => `<p>Source: ${name}</p>`
    const shown = (body: string, head = site): string | null =>
      authorOf(`<h1>Boats</h1>${LINES}${body}`, head)
    expect(shown(source('Eurostat') + LINES + source('World Bank'))).toBe('harbour-news')
    for (const part of ['<div class="chart">', '<table><tr><td>', '<ul><li>'])
      expect(shown(part + source('Eurostat')), part).toBe('harbour-news')
    const person = meta('og:site_name', 'Ann Field') + meta('author', 'Ann Field')
    expect(shown(source('Wikipedia'), person)).toBe('Ann Field')
  })

  test('is not the title with the words of a login', () => {
    expect(authorOf('<h1>Fishing Boats</h1>', meta('twitter:creator', '@FishingBoats'))).toBeNull()
  })

  test('is the first text that names something, and no time or mark of rights', () => {
    const role = '<p class="author">Redaktion</p>'
    expect(authorOf(`<h1>Boats</h1>${role}`, meta('author', 'https://a.example/'))).toBe(
      'Redaktion',
    )
    for (const text of ['01:30 Min.', '5 Minuten', 'Copyright Masts', '© Masts'])
      expect(authorOf(`<h1>Boats</h1><p class="byline">${text}</p>`), text).toBeNull()
  })

  test('is with the sign of the agency behind a slash', () => {
    const shown = (name: string): string | null => authorOf('<h1>Boats</h1>', meta('author', name))
    expect(shown('af/pan')).toBe('af/pan')
    expect(shown('Ann Field / Portland')).toBe('Ann Field')
    expect(shown('Ann Field/Portland')).toBe('Ann Field')
  })
})

describe('the title', () => {
  test('has the signs of the stated one, if its parts are in elements side by side', () => {
    const body = '<h1><div>Harbours</div> : <div>The boats come back</div></h1>'
    const head = '<title>Harbours: The boats come back</title>'
    expect(metadataOf(body, head).title).toBe('Harbours: The boats come back')
  })

  test('is a lower heading with a part of the stated one, and not the name of a section', () => {
    const head = '<title>News - The boats come back to town - Harbour News Online</title>'
    const body = '<h1>News</h1><h2>The boats come back to town</h2><h2>Masts</h2>'
    expect(metadataOf(body, head).title).toBe('The boats come back to town')
    expect(metadataOf('<h1>News</h1><h2>Masts</h2>', head).title).toBe('News')
  })

  const head = '<title>Boats are back in the harbour | Boats</title>'

  test('is not the line above it that names the subject', () => {
    const line = '<h1 class="article-kicker">Boats of the harbour</h1>'
    const title = '<h2 class="title">Boats are back in the harbour</h2>'
    expect(metadataOf(line + title, head).title).toBe('Boats are back in the harbour')
    const both = '<h1><span class="kicker">Portland</span> <b>Boats are back in the bay</b></h1>'
    expect(metadataOf(both, head).title).toBe('Boats are back in the bay')
    const parted = '<h1><span class="kicker">Portland</span> - <b>Boats are back there</b></h1>'
    expect(metadataOf(parted, head).title).toBe('Boats are back there')
  })

  test('is no heading that says nothing of the page, if another one does', () => {
    const body = '<h1>News</h1><h1>Boats are back</h1>'
    expect(metadataOf(body, '<title>News - Harbour News</title>').title).toBe('Boats are back')
  })

  test('may be the only heading of the first level at the end of the path', () => {
    const path =
      '<nav><ol><li><a href="/">Home</a><li><h1>Boats back in the harbour</h1></ol></nav>'
    const title = metadataOf(`${path}<h2>The bay is full</h2>`, head).title
    expect(title).toBe('Boats back in the harbour')
  })

  test('is the first heading, if the stated one ends before it names the page', () => {
    const body = '<h2>Boats are back</h2><h2>Masts</h2>'
    expect(metadataOf(body, '<title>Harbours of the Coast -</title>').title).toBe('Boats are back')
  })

  test('is a lower heading that the stated one begins with', () => {
    const stated = '<title>The boats return (2026/1) for good</title>'
    const body = '<h2>The boats return</h2><p>Text von Ann Field</p>'
    expect(metadataOf(body, stated)).toMatchObject({
      title: 'The boats return',
      author: 'Ann Field',
    })
  })
})

describe('the date', () => {
  test('is that of any element which is marked as the day of publication', () => {
    const body =
      '<h1>Boats</h1><time>2026</time><span itemprop="datePublished" content="2026-01-05">'
    expect(dateOf(body)).toBe('2026-01-05')
  })

  test('stands before a dash, behind the word for a message, or between lines', () => {
    const dateIn = (text: string): string | null => dateOf(`<h1>Boats</h1>${LINES}<p>${text}</p>`)
    expect(dateIn(`5.1.2026 - ${'The harbour is closed to all boats. '.repeat(9)}`)).toBe(
      '2026-01-05',
    )
    expect(dateIn('Pressemitteilung vom 5.1.2026 | Portland')).toBe('2026-01-05')
    expect(dateIn('5.1.2026 boats')).toBeNull()
    expect(dateOf('<h1>Boats</h1><p>15 | 01 | 2026</p>')).toBe('2026-01-15')
  })

  test('is read in the language that XHTML writes with a prefix', () => {
    const body = '<h1>Boats</h1><p class="date">02/10/2026</p>'
    expect(metadataOf(body, '', 'xml:lang="en-GB"').date).toBe('2026-10-02')
    expect(metadataOf(body, '', 'xml:lang="en-GB"').language).toBe('en-GB')
  })

  test('is, of several stated days of publication, the one that the page shows', () => {
    const head = meta('datepublished', '2026-01-05') + data({ datePublished: '2026-01-06' })
    expect(dateOf('<h1>Boats</h1><time>2026-01-06</time>', head)).toBe('2026-01-06')
    expect(dateOf('<h1>Boats</h1><time>2026-01-07</time>', head)).toBe('2026-01-05')
  })

  test('is, of several stated days, also that of a line without a name', () => {
    const head = meta('datepublished', '2026-01-05') + data({ datePublished: '2026-01-02' })
    const line = '<span><a href="/boats">Jan 2, 2026</a> · 18 min read</span>'
    expect(dateOf(`<h1>Boats</h1><div>${line}</div>`, head)).toBe('2026-01-02')
    expect(dateOf('<h1>Boats</h1><p>Updated Jan 2, 2026</p>', head)).toBe('2026-01-05')
  })

  test('is behind the word that a message appeared, in an element of its own', () => {
    const label = '<span>Erschienen am:</span>'
    const day = '<h2 class="event-headline">\n5.1.2026</h2>'
    expect(dateOf(`<h1>Boote</h1>${LINES}<div>${label} ${day}</div>`)).toBe('2026-01-05')
    expect(dateOf(`<h1>Boote</h1>${label} ${day}`, meta('date', '2026-01-07'))).toBe('2026-01-05')
  })

  test('is the only time of the page, if the page was changed shortly before or after', () => {
    const head = meta('dcterms.date', '2026-01-05T09:43+01:00')
    const time = (day: string): string => `<time datetime="2026-01-${day}">${day}.1.2026</time>`
    const body = `<h1>Boats</h1>${LINES}${LINES}`
    expect(dateOf(body + time('09'), head)).toBe('2026-01-09')
    expect(dateOf(body + time('09') + time('09'), head)).toBe('2026-01-09')
    expect(dateOf(body + time('09') + time('11'), head)).toMatch(/^2026-01-05/)
    const updated = time('09').replace('<time', '<time class="updated"')
    expect(dateOf(body + updated, head)).toMatch(/^2026-01-05/)
  })

  test('is not the only time of the page, if that is of another text', () => {
    const head = meta('dcterms.date', '2026-01-05')
    const time = '<time datetime="2026-01-09">9.1.2026</time>'
    for (const other of [
      `<div><h3><a href="/masts">Masts</a></h3>${time}</div>`,
      `<ul><li><a href="/masts">Masts</a> ${time}</ul>`,
      `<div class="teaser"><p>Masts</p>${time}</div>`,
    ])
      expect(dateOf(`<h1>Boats</h1>${LINES}${other}`, head), other).toBe('2026-01-05')
  })

  test('is not the day of a label that names another one, nor of a member', () => {
    const shown = (line: string): string | null =>
      dateOf(`<h1>Boats</h1><div>${line}</div>${LINES}<time datetime="2023-02-01">x</time>`)
    for (const label of ['Closing date', 'Release date:', 'Ablaufdatum:'])
      expect(shown(`<span>${label}</span> <span>5 January 2026</span>`), label).toBe('2023-02-01')
    expect(shown('<span>Publication date:</span> <span>5 January 2026</span>')).toBe('2026-01-05')
    expect(shown('<span class="join-date">Joined: 5 January 2010</span>')).toBe('2023-02-01')
  })

  test('is that of the last change, if the page shows no other day', () => {
    const changed = '<div><label>Letzte Änderung:</label><p>5.1.2026 um 09:25</p></div>'
    expect(dateOf(`<h1>Boote</h1>${LINES}${changed}`)).toMatch(/^2026-01-05/)
    const first = '<div><b>Published:</b> 2 January 2026</div>'
    expect(dateOf(`<h1>Boote</h1>${LINES}${changed}${first}`)).toBe('2026-01-02')
  })

  test('is not the first day of a calendar, which a system writes where none is set', () => {
    const shown = '<h1>Boats</h1><p class="date">5 January 2026</p>'
    for (const unset of ['0001-01-01T00:00:00Z', '1970-01-01T00:00:00Z'])
      expect(dateOf(shown, meta('datepublished', unset)), unset).toBe('2026-01-05')
    expect(dateOf('<h1>Boats</h1>', meta('citation_date', '1869-01-05'))).toBe('1869-01-05')
  })

  test('is not that of a picture', () => {
    const line = (text: string): string => `<h1>Boats</h1><div><span>${text}</span></div>${LINES}`
    expect(dateOf(line('Figure: the harbour on 5 January 2026, from the sea'))).toBeNull()
    expect(dateOf(line('The harbour on 5 January 2026, from the sea'))).toBe('2026-01-05')
    const caption = '<figcaption>At sea, 5 January 2026</figcaption>'
    expect(dateOf(`<h1>Boats</h1><figure><img>${caption}</figure>${LINES}`)).toBeNull()
  })

  test('is beside the title rather than in a time of another text', () => {
    const shown = '<h1>Boats</h1><span class="published">5 January 2026</span>'
    const other = `${LINES}<time datetime="2020-12-03">3 December 2020</time>`
    expect(dateOf(shown + other)).toBe('2026-01-05')
    expect(dateOf(`<h1>Boats</h1>${other}`)).toBe('2020-12-03')
    const exact = `${LINES}<time datetime="2026-01-05T08:05-07:00">today</time>`
    expect(dateOf(shown + exact)).toBe('2026-01-05T08:05:00-07:00')
  })

  test('is the day beside the title, if the page was changed soon after', () => {
    const shown = '<p class="news-timedata">5 January 2026</p><h1>Boats</h1>'
    expect(dateOf(shown, meta('date', '2026-01-12'))).toBe('2026-01-05')
    expect(dateOf(shown, meta('date', '2026-03-12'))).toBe('2026-03-12')
  })

  test('is in an element named as a time, not as a time of another thing', () => {
    const line = (name: string): string => `<h1>Boats</h1>${LINES}<p class="${name}">2026-01-05</p>`
    expect(dateOf(line('small time'))).toBe('2026-01-05')
    for (const name of ['stock-time-frame', 'stockTimeFrame', 'shipping-time'])
      expect(dateOf(line(name)), name).toBeNull()
  })
})

describe('the description', () => {
  const shown = (...texts: string[]): string | null => {
    const names = ['description', 'og:description', 'twitter:description']
    const head = texts.map((text, index) => meta(names[index] ?? '', text)).join('')
    return metadataOf('<h1>Fishing boats return</h1>', head).description
  }

  test('is a short one rather than a copy of the text', () => {
    const copy = 'The fishing boats return. '.repeat(20).trim()
    expect(shown(copy, 'The fishing boats return…')).toBe('The fishing boats return…')
    expect(shown(copy)).toBe(copy)
  })

  test('is a long one of some whole sentences rather than its beginning', () => {
    const whole = `The fishing boats return.${' They bring fish.'.repeat(20)}`
    expect(shown(whole, 'The fishing boats return. They bring')).toBe(whole)
  })

  test('is compared with the title at its beginning', () => {
    const long = (start: string): string => `${start} ${'and so on '.repeat(60)}`
    const page = long('Forty boats from the fishing fleet came in')
    expect(shown(`${long('News from the coast')}of boats`, page)).toBe(page.trim())
  })

  test('of the first page of a site is that of the site', () => {
    const head =
      meta('description', 'News from the coast, every day.') +
      meta('og:description', 'Forty boats from the fishing fleet came in.')
    const of = (url: string): string | null =>
      metadataOf('<h1>Fishing boats return</h1>', head, '', url).description
    expect(of('https://boats.example/')).toBe('News from the coast, every day.')
    expect(of('https://boats.example/a')).toBe('Forty boats from the fishing fleet came in.')
  })

  test('is one with words of the title rather than that of the site', () => {
    const site = 'News from the coast, every day.'
    const page = 'Forty boats from the fishing fleet came in.'
    expect(shown(site, page)).toBe(page)
    expect(shown(site, 'Forty boats came in.')).toBe(site)
    const head = meta('description', site) + meta('og:description', 'Look with your eyes.')
    expect(metadataOf('<h1>Sail with your team</h1>', head).description).toBe(site)
    expect(shown('The boats came in.', page)).toBe('The boats came in.')
  })
})

test('the description is, of several, the one that the microdata repeats', () => {
  const lead = 'Forty boats of the fishing fleet came in.'
  const page = 'Fishing boats return to the harbour after a storm.'
  const shown = (body: string, head: string): string | null =>
    metadataOf(`<h1>Fishing boats return</h1>${body}`, head).description
  const both = meta('description', page) + meta('og:description', lead)
  const line = `<p itemprop="description">\n${lead}</p>`
  expect(shown(line, both)).toBe(lead)
  expect(shown('', both)).toBe(page)
  expect(shown('<p itemprop="description">Masts and sails</p>', both)).toBe(page)
  const hidden = `<meta itemprop="description" content="${lead}">`
  const article = data({ headline: 'Fishing boats return', description: lead })
  expect(shown(hidden, meta('description', page) + article)).toBe(lead)
  expect(shown(hidden, meta('description', page))).toBe(page)
  expect(shown('', article)).toBe(lead)
  const cut = `${lead.slice(0, 30)}...`
  const twice = meta('description', cut) + meta('og:description', lead)
  expect(shown(`<p itemprop="description">${cut}</p>`, twice)).toBe(lead)
})

test('the site is named by the data of its pages, if no meta element does', () => {
  const site = {
    '@graph': [{ '@type': 'WebSite', name: 'Masts' }, { publisher: { name: 'House' } }],
  }
  expect(metadataOf('', data(site)).site).toBe('Masts')
  expect(metadataOf('', data({ publisher: { '@type': 'Organization', name: 'House' } })).site).toBe(
    'House',
  )
  expect(metadataOf('', data({ publisher: { '@type': 'Person', name: 'Ann' } })).site).toBeNull()
  expect(metadataOf('', meta('og:site_name', 'Boats') + data(site)).site).toBe('Boats')
})
