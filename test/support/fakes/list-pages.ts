import type { Row } from '../../../src/kernel/json.ts'
import { seededRandom } from './seeded-random.ts'

/** A page with a list among other things, and the rows that a person wants of it. */
export interface ListPage {
  readonly html: string
  readonly rows: readonly Row[]
  /** How the page was made, for people who look at a failure. */
  readonly design: string
}

const FIRST = ['Halden', 'Moss', 'Birk', 'Fjell', 'Tarn', 'Vinter', 'Ask', 'Lund', 'Sund', 'Eik']
const SECOND = ['desk lamp', 'reading chair', 'oak shelf', 'wool rug', 'bread bin', 'tea set']
const NAMES = ['Ada Berg', 'Tom Dahl', 'Ines Roth', 'Jon Vik']
const WORDS =
  'made by hand in a small shop near the harbour and sent in a box that can be used again for years'.split(
    ' ',
  )

/** Makes a page of one of many designs. The same seed makes the same page. */
export function listPage(seed: number): ListPage {
  const bytes = seededRandom(seed)
  const random = (): number => new DataView(bytes(4).buffer).getUint32(0) / 2 ** 32
  const pick = <T>(...all: readonly T[]): T => {
    const one = all[Math.floor(random() * all.length)]
    if (one === undefined) throw new Error('nothing to pick from')
    return one
  }
  const chance = (share: number): boolean => random() < share
  const words = (count: number): string =>
    Array.from({ length: count }, () => pick(...WORDS)).join(' ')
  const names = pick('plain', 'hashed', 'none', 'bem')
  const named = (name: string): string => {
    if (names === 'none') return ''
    if (names === 'hashed')
      return ` class="css-${name.length}x${(name.length * 7919).toString(36)}9"`
    return names === 'bem' ? ` class="entry__${name}"` : ` class="${name}"`
  }
  const kind = pick('shop', 'news', 'jobs', 'threads')
  const shape = pick('ul', 'div', 'article', 'ol', 'rows', 'sections')
  const title = pick('h3 a', 'a h3', 'a', 'h2 a')
  const image = kind === 'jobs' || kind === 'threads' ? 'none' : pick('src', 'lazy', 'none')
  const has = {
    price: kind === 'shop',
    date: kind === 'news' || kind === 'threads' || (kind === 'jobs' && chance(0.5)),
    author: kind === 'threads' || (kind === 'news' && chance(0.6)),
    description: kind === 'news' || (kind === 'jobs' && chance(0.5)),
    rating: kind === 'shop' && names !== 'none' && names !== 'hashed' && chance(0.4),
  }
  const count = 6 + Math.floor(random() * 20)
  const rows: Row[] = []
  const items: string[] = []
  for (let index = 0; index < count; index++) {
    const name = `${pick(...FIRST)} ${pick(...SECOND)} ${index + 1}`
    const path = `/${kind}/${index + 1}-${name.toLowerCase().replaceAll(' ', '-')}`
    const price = (5 + Math.floor(random() * 200) + 0.5).toFixed(2)
    const date = `2026-0${1 + (index % 9)}-1${index % 10}`
    const author = pick(...NAMES)
    const text = `${words(14)}.`
    const stars = 1 + (index % 5)
    const picture = `/img/${index + 1}.jpg`
    const heading =
      title === 'a'
        ? `<a${named('title')} href="${path}">${name}</a>`
        : title === 'a h3'
          ? `<a href="${path}"><h3${named('title')}>${name}</h3></a>`
          : `<${title.slice(0, 2)}${named('title')}><a href="${path}">${name}</a></${title.slice(0, 2)}>`
    const shown =
      image === 'src'
        ? `<img src="${picture}" alt="">`
        : image === 'lazy'
          ? `<img src="/img/blank.gif" data-src="${picture}" alt="">`
          : ''
    items.push(
      shown +
        heading +
        (has.author
          ? `<span class="${names === 'bem' ? 'entry__author' : 'author'}">${author}</span>`
          : '') +
        (has.date ? `<time datetime="${date}">${date}</time>` : '') +
        (has.description ? `<p${named('text')}>${text}</p>` : '') +
        (has.rating ? `<span class="rating">${stars}</span>` : '') +
        (has.price ? `<span${named('price')}>€ ${price}</span>` : ''),
    )
    rows.push({
      title: name,
      url: `https://list.example.com${path}`,
      ...(has.price && { price: Number(price) }),
      ...(has.date && { date }),
      ...(has.author && { author }),
      ...(has.description && { description: text }),
      ...(has.rating && { rating: stars }),
      ...(image !== 'none' && { image: `https://list.example.com${picture}` }),
    })
  }
  const wrapped = pick('main', 'div', 'form', 'widget')
  const intro = chance(0.3)
    ? `<div><p>${words(60)}.</p><p>${words(60)}.</p><p>${words(70)}.</p></div>`
    : ''
  const before =
    '<ul>' +
    ['Home', 'Shop', 'News', 'About us', 'Contact']
      .map((one) => `<li><a href="/${one}">${one}</a></li>`)
      .join('') +
    '</ul>'
  const beside = chance(0.5)
    ? '<aside><h4>Popular</h4><ul>' +
      Array.from(
        { length: 5 },
        (_, index) =>
          `<li><a href="/top/${index}"><h4>${pick(...FIRST)} and ${words(5)}</h4></a></li>`,
      ).join('') +
      '</ul></aside>'
    : ''
  const after =
    '<footer><ul>' +
    Array.from({ length: 12 }, (_, index) => `<li><a href="/f/${index}">${words(2)}</a></li>`).join(
      '',
    ) +
    '</ul></footer>'
  const list = listOf(shape, items, named, chance(0.3))
  const body =
    wrapped === 'main'
      ? `<main>${intro}${list}</main>`
      : wrapped === 'form'
        ? `<form action="/buy"><div id=content>${intro}${list}</div></form>`
        : wrapped === 'widget'
          ? `<div class="widget has-sidebar">${intro}${list}</div>`
          : `<div id=wrap>${intro}${list}</div>`
  const head = chance(0.5)
    ? `<header><nav>${before}</nav></header>`
    : `<div class=top>${before}</div>`
  return {
    html:
      `<!doctype html><html lang=en><head><title>List</title></head><body>${head}` +
      `<h1>All of them</h1>${body}${beside}${after}</body></html>`,
    rows,
    design: [
      kind,
      shape,
      title,
      names,
      image,
      wrapped,
      intro === '' ? 'no intro' : 'intro',
      count,
    ].join(', '),
  }
}

function listOf(
  shape: string,
  items: readonly string[],
  named: (name: string) => string,
  hasAds: boolean,
): string {
  const withAds = (all: readonly string[], tag: string): string =>
    all
      .map((one, index) =>
        hasAds && index % 5 === 4 ? `${one}<${tag} class="ad">Ad</${tag}>` : one,
      )
      .join('')
  const cards = (tag: string, all: readonly string[]): string[] =>
    all.map((one) => `<${tag}${named('card')}>${one}</${tag}>`)
  if (shape === 'ul' || shape === 'ol')
    return `<${shape}${named('list')}>${withAds(cards('li', items), 'li')}</${shape}>`
  if (shape === 'rows') {
    const rows: string[] = []
    for (let position = 0; position < items.length; position += 4)
      rows.push(
        `<div${named('row-of')}>${cards('div', items.slice(position, position + 4)).join('')}</div>`,
      )
    return `<div${named('list')}>${rows.join('')}</div>`
  }
  if (shape === 'sections') {
    const middle = Math.ceil(items.length / 3)
    return [0, 1, 2]
      .map((i) => items.slice(i * middle, (i + 1) * middle))
      .filter((part) => part.length > 0)
      .map(
        (part, index) =>
          `<section><h2>Part ${index + 1}</h2><div>${cards('article', part).join('')}</div></section>`,
      )
      .join('')
  }
  return `<div${named('list')}>${withAds(cards(shape, items), 'div')}</div>`
}
