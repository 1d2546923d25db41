import { expect, test } from 'vitest'
import { detectPages } from '../../../adapters/command/detect/detect-pages.ts'
import { parseExtract } from '../../../adapters/command/extract-flags.ts'
import { createWorld } from '../../support/worlds/world.ts'

const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8]
const pageOf = (body: string) => ({ body: `<title>Shop</title><main>${body}</main>` })
const LAMPS = EIGHT.map(
  (i) =>
    `<li class="card"><a href="/lamp/${i}"><h2>Lamp ${i}</h2></a><b class="price">€${i}.50</b>`,
)
const CHAIRS = EIGHT.map(
  (i) => `<article class="tile"><h3>Chair ${i}</h3><i class="cost">€${i}0.00</i></article>`,
)
const STORY = `<article><h1>Mills</h1>${'<p>The old mill stopped in January, after a hundred years of work.</p>'.repeat(9)}</article>`
const NEVER = new AbortController().signal
const HOST = 'https://shop.example.com'
const SITE = {
  [`${HOST}/lamps`]: pageOf(`<ul>${LAMPS.join('')}</ul><a rel="next" href="/lamps/2">Next</a>`),
  [`${HOST}/more-lamps`]: pageOf(`<ul>${LAMPS.join('')}</ul>`),
  [`${HOST}/chairs`]: pageOf(`<div>${CHAIRS.join('')}</div>`),
  [`${HOST}/story`]: pageOf(STORY),
}

async function detect(...paths: string[]) {
  const request = await parseExtract(paths.map((path) => `${HOST}/${path}`))
  if (request === null) throw new Error('The arguments are wrong')
  return detectPages(createWorld(SITE).platform, request, NEVER)
}

test('lists of several shapes become one recipe, which gives the rows of all', async () => {
  const { extract, next, urls, about, notes } = await detect('lamps', 'chairs', 'more-lamps')
  const [lamps, chairs] = [await detect('lamps'), await detect('chairs')]
  expect(extract.items).toBe(`${lamps.extract.items}, ${chairs.extract.items}`)
  expect(extract.fields['title']).toEqual([
    lamps.extract.fields['title'],
    chairs.extract.fields['title'],
  ])
  expect(next).toEqual(lamps.next)
  expect(next).toHaveLength(1)
  expect(about[0]).toMatch(`${HOST}/lamps and 1 more: a list`)
  expect(about[1]).toMatch(`${HOST}/chairs: a list`)
  expect(notes).toEqual([])

  const world = createWorld(SITE)
  const id = await world.start({ start: { urls }, extract })
  await world.work()
  const titles = (await world.rows(id)).map((row) => row['title'])
  expect(titles).toHaveLength(24)
  expect(new Set(titles).size).toBe(16)
})

test('the most frequent of several kinds is read; a page that cannot be inspected is still visited', async () => {
  const { extract, urls, notes } = await detect('story', 'lamps', 'chairs', 'gone')
  expect(extract.items).toContain(', ')
  expect(urls).toEqual(['lamps', 'chairs', 'gone'].map((path) => `${HOST}/${path}`))
  expect(notes).toEqual([
    expect.stringMatching(`^${HOST}/gone: .*404`),
    expect.stringMatching(`^${HOST}/story: .*; a table has pages of one kind, so it is left out`),
  ])
})

test('without a page that can be looked at, the first one says why', async () => {
  await expect(detect('gone', 'away')).rejects.toThrow(/^https:\/\/shop\.example\.com\/gone: .*404/)
  await expect(detect('gone')).rejects.toThrow(/^The page .*404/)
})

test('a page that a link led to is named where it cannot be looked at', async () => {
  const request = await parseExtract([`${HOST}/lamps`, '--follow', '.card a'])
  if (request === null) throw new Error('The arguments are wrong')
  const { platform } = createWorld({
    ...SITE,
    [`${HOST}/robots.txt`]: {
      body: 'User-agent: *\nDisallow: /lamp/',
      headers: { 'content-type': 'text/plain' },
    },
  })
  await expect(detectPages(platform, request, NEVER)).rejects.toThrow(
    /^https:\/\/shop\.example\.com\/lamp\/1: .*robots\.txt/,
  )
})

test('an interruption ends the looking at once, within a page and before the next', async () => {
  const request = await parseExtract(['a', 'b', 'c'].map((path) => `${HOST}/${path}`))
  if (request === null) throw new Error('The arguments are wrong')
  const stop = new AbortController()
  const interrupted = new DOMException('Interrupted', 'AbortError')
  const requests: string[] = []
  const { platform } = createWorld(
    {},
    {
      fetcher: {
        capabilities: { pinsAddresses: true },
        resolve: async () => ['93.184.216.34'],
        // It never answers by itself.
        send: ({ url, signal }) =>
          new Promise((_, reject) => {
            requests.push(url.pathname)
            signal.addEventListener('abort', () => reject(signal.reason))
            stop.abort(interrupted)
          }),
        close: async () => {},
      },
    },
  )
  await expect(detectPages(platform, request, stop.signal)).rejects.toBe(interrupted)
  expect(requests).toEqual(['/robots.txt'])
})
