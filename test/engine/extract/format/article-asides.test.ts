import { describe, expect, test } from 'vitest'
import { formatPage } from '../../../../src/engine/extract/format/format-page.ts'
import { PageContent } from '../../../../src/engine/extract/page/page-content.ts'

const prose = (topic: string): string =>
  `The ${topic} was known to all who lived there, and nobody wondered about it, although ` +
  `strangers, who came by boat, asked for it every summer before they left again.`
const paragraphs = (topic: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `<p>${prose(`${topic} ${index}`)}</p>`).join('')
const teasers = Array.from(
  { length: 12 },
  (_, index) =>
    `<li><h3><a href="/${index}">Story ${index}</a></h3><p>${prose(`teaser ${index}`)}</p></li>`,
).join('')
const captions = Array.from(
  { length: 12 },
  (_, index) => `<li><img src="${index}.png"><p>${prose(`picture ${index}`)}</p></li>`,
).join('')

const ARTICLE = '<meta property="og:type" content="article">'
const typed = (type: string): string =>
  `<script type="application/ld+json">{"@type": "${type}"}</script>`

function textOf(body: string, head = ARTICLE): string {
  const page = {
    url: 'https://a.example/page',
    contentType: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(`<head>${head}</head><body>${body}</body>`),
  }
  return String(formatPage(new PageContent(page), 'text') ?? '')
}

describe('in an article', () => {
  const page = `<div><h1>Harbour</h1>${paragraphs('harbour', 8)}</div>`

  test('teasers of other pages are left out, however long their list is', () => {
    const text = textOf(`${page}<ul>${teasers}</ul>`)
    expect(text).toContain('harbour 7')
    expect(text).not.toContain('teaser')
  })

  test('a gallery is left out', () => {
    const text = textOf(`<div>${page}<div class="photo-gallery"><ul>${captions}</ul></div></div>`)
    expect(text).toContain('harbour 7')
    expect(text).not.toContain('picture')
  })

  test('a gallery is the content if there is little else', () => {
    const text = textOf(`<p>${prose('harbour')}</p><ul class="gallery">${captions}</ul>`)
    expect(text).toContain('picture 11')
  })

  test('text that a script may show in a gallery stays', () => {
    const text = textOf(`${page}<div class="js-gallery">${paragraphs('island', 12)}</div>`)
    expect(text).toContain('island 11')
  })

  test('a list whose items are text with links stays', () => {
    const items = '<li>A <a href="/a">mast</a> was mended, and its rope was spliced anew.</li>'
    const text = textOf(`<h1>Harbour</h1>${paragraphs('harbour', 4)}<ul>${items.repeat(5)}</ul>`)
    expect(text).toContain('spliced anew')
  })
})

describe('a page is an article', () => {
  const page = `<main>${paragraphs('harbour', 8)}<ul>${teasers}</ul></main>`

  test.each([
    ['by its data', ARTICLE + typed('NewsArticle'), false],
    ['not if its data says that it is a list', ARTICLE + typed('CollectionPage'), true],
    ['not if nothing says so', '', true],
  ])('%s', (_, head, hasTeasers) => {
    expect(textOf(page, head).includes('teaser 11')).toBe(hasTeasers)
  })
})

test('hidden text is left out, even if it is half of the page', () => {
  const text = textOf(
    `<article><div style="visibility: hidden">${paragraphs('hidden', 5)}</div>` +
      `<h2>Shown</h2><div>${paragraphs('shown', 4)}</div></article>`,
    '',
  )
  expect(text).toContain('shown 3')
  expect(text).not.toContain('hidden 0')
})
