import { describe, expect, test } from 'vitest'
import { atOnce } from '../../../../src/engine/extract/page/in-turns.ts'
import { metadataParts } from '../../../../src/engine/extract/format/metadata.ts'
import type { Metadata } from '../../../../src/engine/extract/format/metadata.ts'
import { PageContent } from '../../../../src/engine/extract/page/page-content.ts'

function metadataOf(
  body: string,
  { head = '', lang = 'en', url = 'https://www.harbour-news.example/boats' } = {},
): Metadata {
  const html = `<!doctype html><html lang="${lang}"><head>${head}</head><body>${body}</body></html>`
  return atOnce(
    metadataParts(
      new PageContent({
        url,
        contentType: 'text/html; charset=utf-8',
        body: new TextEncoder().encode(html),
      }),
    ),
  )
}
const data = (value: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`

describe('the title', () => {
  const head = '<title>Old boats and where to see them - Harbour News</title>'

  test('is the heading with the same words as the title for search engines', () => {
    const title = metadataOf('<h1>Where to see old boats</h1><p>x</p>', { head }).title
    expect(title).toBe('Where to see old boats')
  })

  test('is the only heading of the page if it has a word of the stated title', () => {
    expect(metadataOf('<h1>A day among boats of the north</h1>', { head }).title).toBe(
      'A day among boats of the north',
    )
    expect(metadataOf('<h1>Welcome aboard!</h1>', { head }).title).toBe(
      'Old boats and where to see them',
    )
    expect(metadataOf('<h1>Welcome aboard!</h1>', { head: '<title>Home</title>' }).title).toBe(
      'Welcome aboard!',
    )
  })

  test('is never the name of the site', () => {
    const body = '<h1>Harbour News</h1><h2>Old boats, and where to see them</h2><h2>Tides</h2>'
    expect(metadataOf(body, { head }).title).toBe('Old boats, and where to see them')
    expect(metadataOf('<p>x</p>', { head: '<title>Harbour News » Tides</title>' }).title).toBe(
      'Tides',
    )
  })

  test('is never a heading that leads to the first page of the site', () => {
    const name = '<h1><span><a href="/">Masts and sails</a></span></h1>'
    const page = { head: '<title>Old boats | Masts and sails</title>' }
    expect(metadataOf(`${name}<h1>Old boats</h1>`, page).title).toBe('Old boats')
    expect(metadataOf(name, { ...page, url: 'https://www.harbour-news.example/' }).title).toBe(
      'Masts and sails',
    )
    // Nothing else names the page.
    expect(metadataOf(name).title).toBe('Masts and sails')
    const first = { head: '<title>Masts and sails - All on boats</title>' }
    for (const path of ['', 'index.html'])
      expect(
        metadataOf(name, { ...first, url: `https://www.harbour-news.example/${path}` }).title,
      ).toBe('Masts and sails')
  })

  test('is the first of several headings with two words of the stated title', () => {
    const body =
      '<h1>The news for all by mail</h1><h1>A walk to boats in the harbour</h1><h1>Boats</h1>'
    const stated = '<title>Boats: times and tickets for all visitors of the harbour</title>'
    expect(metadataOf(body, { head: stated }).title).toBe('A walk to boats in the harbour')
  })

  test('is not a heading of the navigation, the comments or a side column', () => {
    for (const tag of ['nav', 'aside', 'div class="comments"']) {
      const body = `<${tag}><h1>Old boats</h1></${tag.split(' ')[0]}><h1>Seeing old boats</h1>`
      expect(metadataOf(body, { head: '<title>Old boats</title>' }).title, tag).toBe(
        'Seeing old boats',
      )
    }
  })
})

describe('the author', () => {
  const authorOf = (body: string, head = ''): string | null => metadataOf(body, { head }).author

  test('is a name without the words around it', () => {
    for (const text of [
      'By Ann Field',
      'Written by: Ann Field',
      'Posted on May 5, 2024 by Ann Field',
      'Von Ann Field | 5. Mai 2024',
      'Ann Field, 5 May 2024',
      'Ann Field - All posts',
      'Por Ann Field',
      'Erstellt von Ann Field',
    ])
      expect(authorOf(`<h1>Boats</h1><p class="byline">${text}</p>`), text).toBe('Ann Field')
  })

  test('is read from a line below the title', () => {
    expect(authorOf('<h1>Boats</h1><div>Text: Ann Field</div><p>By night they sail.</p>')).toBe(
      'Ann Field',
    )
    expect(authorOf('<h1>Boats</h1><p>by night they sail out.</p>')).toBeNull()
  })

  test('is a person rather than an organisation or the site', () => {
    const article = {
      '@type': 'NewsArticle',
      headline: 'Boats',
      author: [
        { '@type': 'Organization', name: 'Harbour Press' },
        { '@type': 'Person', name: 'Ann Field' },
      ],
    }
    const site = '<meta name="author" content="Harbour News">'
    expect(authorOf('<h1>Boats</h1>', site + data(article))).toBe('Ann Field')
    expect(authorOf('<h1>Boats</h1><p class="author">Bo Dale</p>', site)).toBe('Bo Dale')
    expect(authorOf('<h1>Boats</h1>', site)).toBe('Harbour News')
  })

  test('is no company, and not the publisher', () => {
    const person = '<p class="author">Ann Field</p>'
    for (const company of ['Harbour Media GmbH', 'Masts Inc.', 'Freunde der Boote e. V.']) {
      const head = `<meta name="author" content="${company}">`
      expect(metadataOf(person, { head }).author, company).toBe('Ann Field')
      expect(metadataOf('<p>x</p>', { head }).author, company).toBe(company)
    }
    const head = data({ author: 'Masts & Sails', publisher: { name: 'Masts & Sails' } })
    expect(metadataOf(person, { head }).author).toBe('Ann Field')
    expect(metadataOf('<p>x</p>', { head }).author).toBe('Masts & Sails')
  })

  test('is a person who publishes, or has a name like a legal form', () => {
    const others = '<p class="author">Bea Moor</p>'
    for (const type of ['Person', ['Person', 'Organization']]) {
      const ann = { '@type': type, name: 'Ann Field' }
      const head = data({ headline: 'Boats', author: ann, publisher: ann })
      expect(metadataOf(others, { head }).author).toBe('Ann Field')
    }
    for (const name of ['Rui Sa', 'Ida Ag']) {
      const head = `<meta name="author" content="${name}">`
      expect(metadataOf(others, { head }).author).toBe(name)
    }
  })

  test('is before a role or another name in the line', () => {
    for (const rest of [
      ', staff writer',
      ', special to the Harbour News',
      ' for the Harbour News',
      ' (Text) Bea Moor (Bild)',
      ' (Text) und Bea Moor (Bild)',
    ])
      expect(metadataOf(`<h1>Boats</h1><p>By Ann Field${rest}</p>`).author, rest).toBe('Ann Field')
    expect(metadataOf('<p class="author">Last, James</p>').author).toBe('Last, James')
  })

  test('is written as on the page, if its data has a name for signing in', () => {
    const head = data({ headline: 'Boats', author: { name: 'annfield' } })
    const byline = '<p class="author"><span>by</span> <a href="/ann">Ann Field</a></p>'
    expect(metadataOf(byline, { head }).author).toBe('Ann Field')
    expect(metadataOf('<p class="author">Bea Moor</p>', { head }).author).toBe('annfield')
  })

  test('is in the footer of the article, not in that of the page', () => {
    const footer = '<footer><span class="author">Ann Field</span></footer>'
    expect(metadataOf(`<article><h1>Boats</h1>${footer}</article>`).author).toBe('Ann Field')
    expect(metadataOf(`<h1>Boats</h1>${footer}`).author).toBeNull()
    const other = `<article><h3>Masts</h3>${footer}</article>`
    expect(metadataOf(`<h1>Boats</h1>${other}${other}`).author).toBeNull()
    expect(metadataOf(`<h1>Boats</h1><article>${footer}</article>`).author).toBe('Ann Field')
  })

  test('is no label, and no sentence that begins like one', () => {
    expect(metadataOf('<h1>Boats</h1><p class="byline">By: Date:</p>').author).toBeNull()
    expect(metadataOf('<h1>Boats</h1><p>Von Masten über Segel bis Tau</p>').author).toBeNull()
    expect(metadataOf('<h1>Boats</h1><p>Von: Ann und Bea Field</p>').author).toBe(
      'Ann und Bea Field',
    )
    expect(metadataOf('<p class="author">Text und Interview: Ann Field</p>').author).toBe(
      'Ann Field',
    )
    expect(metadataOf('<p class="author">Ann (A.B.) Field (Harbour)</p>').author).toBe(
      'Ann (A.B.) Field',
    )
  })

  test('is found by its identifier in another part of the data', () => {
    const graph = [
      { '@type': 'Article', headline: 'Boats', author: { '@id': '#ann' } },
      { '@type': 'Person', '@id': '#ann', name: 'Ann Field' },
    ]
    expect(authorOf('<h1>Boats</h1>', data({ '@graph': graph }))).toBe('Ann Field')
  })

  test('is after a word in an element of its own, or in a link to the page of the author', () => {
    const time = '<time>4 March 2026</time>'
    for (const line of [
      '<div>Date: 4 March 2026 <span>Author:</span> Ann Field<br><span>Source:</span> x</div>',
      '<div><b>Von:</b><br> <br> Ann Field</div>',
      `<div><a href="/author/ann-field">Ann Field</a> / ${time}</div>`,
      `<div>${time} <span class="authorname-txt">Ann Field</span></div>`,
      '<p><span class="prep-author">By </span><span class="author"><a href="/a">Ann Field</a></span></p>',
    ])
      expect(authorOf(`<h1>Boats</h1>${line}`), line).toBe('Ann Field')
    for (const line of [
      '<a href="/author/">All who write</a> <a href="/author/f">more</a>',
      '<a href="/author/ann-field">Zum Profil</a> <a href="/author/ann-field">Read more</a>',
      '<a href="/staff/picks">Staff Picks</a> <a href="/authors/guidelines">For Authors</a>',
      '<b>By:</b> those who have seen the boats',
    ])
      expect(authorOf(`<h1>Boats</h1><p>${line}</p>`), line).toBeNull()
  })

  test('is without a title, a date and the credit of a picture', () => {
    for (const rest of [' Staff Writer', ' March 11, 2026', ', Foto: JEP', ' Publiziert am Montag'])
      expect(authorOf(`<h1>Boats</h1><p class="author">By Ann Field${rest}</p>`), rest).toBe(
        'Ann Field',
      )
    expect(authorOf('<h1>Boats</h1><p class="author">Foto: Bo Dale</p>')).toBeNull()
  })

  test('is not an author of comments or reviews, an address or a label of a form', () => {
    const review = { '@type': 'Product', name: 'Boat', review: [{ author: { name: 'Bo Dale' } }] }
    const body =
      '<h1>Boats</h1><label class="author">Name *</label>' +
      '<div class="comments"><b class="author">Bo Dale</b></div><b class="author">Bo Dale says</b>'
    const head = '<meta name="author" content="https://harbour-news.example/ann">' + data(review)
    expect(authorOf(body, head)).toBeNull()
  })
})

describe('the date', () => {
  const dateOf = (body: string, lang = 'en'): string | null => metadataOf(body, { lang }).date

  test('is read in the language of the page', () => {
    expect(dateOf('<h1>Boote</h1><p class="date">5. März 2024</p>', 'de')).toBe('2024-03-05')
    expect(dateOf('<h1>Barcos</h1><p class="postDate">5 de enero de 2024</p>', 'es')).toBe(
      '2024-01-05',
    )
  })

  test('is in the first of the elements for dates that has one', () => {
    const body =
      '<h1>Boats</h1><p class="date">today</p><p class="meta">by Ann</p>' +
      '<p class="entry-date">May 5, 2024</p><p class="date">June 6, 2024</p>'
    expect(dateOf(body)).toBe('2024-05-05')
    const filler = '<p>The harbour was known to all.</p>'.repeat(60)
    for (const name of ['authored', 'submitted'])
      expect(dateOf(`<h1>Boats</h1>${filler}<div class="${name}">Ann, 05.05.2024</div>`)).toBe(
        '2024-05-05',
      )
  })

  test('is near the title rather than above it, where dates of other pages are', () => {
    const others = Array.from({ length: 20 }, () => '<p class="date">June 6, 2024</p>').join('')
    expect(dateOf(`${others}<h1>Boats</h1><p class="date">May 5, 2024</p>`)).toBe('2024-05-05')
  })

  test('is read from the lines around the title', () => {
    expect(dateOf('<h1>Boats</h1><p>May 5, 2024 in Travel</p>')).toBe('2024-05-05')
    expect(dateOf('<div><small>05.05.2024</small></div><h1>Boats</h1>')).toBe('2024-05-05')
  })

  test('is read after a label anywhere', () => {
    const filler = '<p>The harbour was known to all.</p>'.repeat(60)
    expect(dateOf(`<h1>Boats</h1>${filler}<p>The fire of 5 May 1998.</p>`)).toBeNull()
    expect(dateOf(`<h1>Boats</h1>${filler}<p>Published on 5 May 2024</p>`)).toBe('2024-05-05')
    expect(dateOf(`<h1>Boats</h1>${filler}<p><b>Date:</b> 5 May 2024</p>`)).toBe('2024-05-05')
  })

  describe('is the day that the page shows, if the stated time is in UTC', () => {
    const shown = (stated: string, text: string, url?: string): string | null =>
      metadataOf(`<h1>Boats</h1><p class="date">${text}</p>`, {
        head: `<meta property="article:published_time" content="${stated}">`,
        ...(url !== undefined && { url }),
      }).date

    test.each([
      ['the day before', '2024-05-06T02:41:00Z', 'May 5, 2024', '2024-05-05'],
      ['the next day', '2024-05-04T22:00:00Z', 'May 5, 2024', '2024-05-05'],
      ['the same day', '2024-05-05T22:00:00Z', 'May 5, 2024', '2024-05-05T22:00:00Z'],
      ['too early for it', '2024-05-06T13:00:00Z', 'May 5, 2024', '2024-05-06T13:00:00Z'],
      ['perhaps a change', '2024-05-04T12:00:00Z', 'May 5, 2024', '2024-05-04T12:00:00Z'],
      ['another day', '2024-05-04T22:00:00Z', 'May 9, 2024', '2024-05-04T22:00:00Z'],
      ['a stated zone', '2024-05-06T02:41:00+02:00', 'May 5, 2024', '2024-05-06T02:41:00+02:00'],
    ])('%s', (_, stated, text, expected) => {
      expect(shown(stated, text)).toBe(expected)
    })

    test('in its address', () => {
      const url = 'https://harbour-news.example/2024/05/05/boats/'
      expect(shown('2024-05-06T02:41:00Z', '', url)).toBe('2024-05-05')
      expect(shown('2024-05-04T16:00:00Z', '', url)).toBe('2024-05-05')
      expect(shown('2024-05-04T12:00:00Z', '', url)).toBe('2024-05-04T12:00:00Z')
      expect(shown('2024-05-05T02:41:00Z', 'May 4, 2024', url)).toBe('2024-05-05T02:41:00Z')
    })
  })

  test('is stated for search engines rather than for letters, which name the last change', () => {
    const head =
      '<meta name="sailthru.date" content="2024-06-06">' + data({ datePublished: '2024-05-05' })
    expect(metadataOf('<h1>Boats</h1>', { head }).date).toBe('2024-05-05')
  })

  test('is the day beside the title soon after a stated day of an unnamed event', () => {
    const shown = (day: string, name = 'date'): string | null =>
      metadataOf(`<h1>Boats</h1><p class="date">${day}</p>`, {
        head: `<meta name="${name}" content="2024-05-05">`,
      }).date
    expect(shown('May 8, 2024')).toBe('2024-05-08')
    expect(shown('May 4, 2024')).toBe('2024-05-04')
    expect(shown('June 8, 2024')).toBe('2024-05-05')
    expect(shown('May 8, 2024', 'datePublished')).toBe('2024-05-05')
  })

  test('is not the day of a change, or of an event that the page is about', () => {
    const head = '<meta name="date" content="2024-05-05">'
    for (const line of [
      '<p class="date">Updated: May 8, 2024</p>',
      '<p class="date">Zuletzt aktualisiert am 8.5.2024</p>',
      '<time class="updated">May 8, 2024</time>',
      '<p class="event-date">May 8, 2024</p>',
    ])
      expect(metadataOf(`<h1>Boats</h1>${line}`, { head }).date, line).toBe('2024-05-05')
  })

  test('is not the date of a comment', () => {
    const comment = '<div class="comments"><time datetime="2024-06-06">June</time></div>'
    expect(dateOf(`<h1>Boats</h1>${comment}`)).toBeNull()
  })
})

describe('the description', () => {
  const stated = (name: string, text: string): string => `<meta name="${name}" content="${text}">`
  const whole = 'Old boats lie in the harbour, and people may visit them.'

  test('is the whole text, if the first is cut off', () => {
    for (const end of ['...', ' …']) {
      const head = stated('description', `Old boats lie in the harbour, and${end}`)
      expect(metadataOf('', { head: head + stated('og:description', whole) }).description).toBe(
        whole,
      )
      expect(metadataOf('', { head: head + stated('og:description', 'Boats') }).description).toBe(
        `Old boats lie in the harbour, and${end}`,
      )
    }
    const head = stated('description', 'Old...') + stated('og:description', whole)
    expect(metadataOf('', { head }).description).toBe('Old...')
  })

  test('is not another text that is cut off, too', () => {
    for (const end of ['...', '…', ' [...]']) {
      const cut = `Old boats lie in the harbour, and${end}`
      for (const other of [
        'Old boats lie in the harbour, and people […]',
        'Old boats lie in the harbour, and people...',
        'Old boats lie in the harbour, and people may vis',
      ]) {
        const head = stated('description', cut) + stated('og:description', other)
        expect(metadataOf('', { head }).description).toBe(cut)
        const third = stated('twitter:description', whole)
        expect(metadataOf('', { head: head + third }).description).toBe(whole)
      }
    }
  })

  test('is that of the article in its data, if no meta element has one', () => {
    const head = data([
      { '@type': 'Organization', description: 'News of harbours' },
      { headline: 'Boats', description: whole },
    ])
    expect(metadataOf('', { head }).description).toBe(whole)
    const list = data([
      { headline: 'Masts', description: 'Masts are long' },
      { headline: 'Boats', description: whole },
    ])
    expect(metadataOf('', { head: list }).description).toBeNull()
  })
})
