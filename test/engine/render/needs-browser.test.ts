import { expect, it } from 'vitest'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { needsBrowser } from '../../../src/engine/page-work.ts'

const page = (html: string, contentType = 'text/html') =>
  new PageContent({
    url: 'https://shop.example/',
    contentType,
    body: new TextEncoder().encode(html),
  })
const script = '<script src="/app.js"></script>'
const words = (characters: number) => 'word '.repeat(characters / 5)

it.each<readonly [string, string, boolean, boolean]>([
  ['an empty shell', `<div id="app"></div>${script}`, false, true],
  [
    'a shell of which something was found, such as its title',
    `<title>Shop</title><div id="app"></div>${script}`,
    false,
    true,
  ],
  ['nothing, and no script that could make something', '<div id="app"></div>', true, false],
  [
    'a frame of navigation, and nothing found',
    `<nav>${words(900)}</nav><div id="app"></div>${script}`,
    true,
    true,
  ],
  [
    'a frame of navigation, and something found',
    `<nav>${words(900)}</nav><ul><li>Pen</li></ul>${script}`,
    false,
    false,
  ],
  ['an article, and nothing found', `<p>${words(4_000)}</p>${script}`, true, false],
  [
    'text that nobody sees',
    `<noscript>${words(900)}</noscript><style>${words(900)}</style>${script}<script>${words(5_000)}</script>`,
    false,
    true,
  ],
])('%s', async (_, html, isEmpty, expected) => {
  expect(needsBrowser(page(html), () => isEmpty)).toBe(expected)
})

it('only HTML needs a browser', async () => {
  expect(needsBrowser(page('{"a":"<script>"}', 'application/json'), () => true)).toBe(false)
  expect(
    needsBrowser(page('<rss><channel><script/></channel></rss>', 'text/xml'), () => true),
  ).toBe(false)
})

it('the extraction is asked for its result only if the answer depends on it', async () => {
  const never = () => {
    throw new Error('asked')
  }
  expect(needsBrowser(page(script), never)).toBe(true)
  expect(needsBrowser(page(`<p>${words(4_000)}</p>${script}`), never)).toBe(false)
})
