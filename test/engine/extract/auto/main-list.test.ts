import { describe, expect, test } from 'vitest'
import { detect } from '../../../../src/engine/extract/auto.ts'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { compileRecipe } from '../../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../../src/engine/recipe/parse-recipe.ts'
import type { Row } from '../../../../src/kernel/json.ts'
import type { Page } from '../../../../src/ports/page-processor.ts'

const SENTENCE = 'The keeper of the light wrote down which ships went by, and what the wind did. '
const each = (length: number, make: (i: number) => string): string =>
  Array.from({ length }, (_, index) => make(index + 1)).join('\n')

function pageOf(main: string, head = ''): Page {
  const html = `<!doctype html><html><head><title>A page</title>${head}</head><body><main>${main}</main>`
  return {
    url: 'https://a.example/page/',
    contentType: 'text/html',
    body: new TextEncoder().encode(html),
  }
}

function kindOf(main: string, head = ''): string {
  return detect(pageOf(main, head)).kind
}

function rowsOf(main: string): readonly Row[] {
  const page = pageOf(main)
  const recipe = parseRecipe({ start: { urls: [page.url] }, extract: 'auto' })
  return compileRecipe(recipe).process(page, { label: 'start', depth: 0, hop: 1 }).rows
}

const lamp = (i: number): string =>
  `<div class="card"><img src="/icons/best.svg" alt=""><a href="/p/${i}"><img src="/i/${i}.jpg" alt="">` +
  `<h4>LMP-${i}0</h4><p class="card-name">Lamp of ${i} candles</p></a>` +
  `<span class="price">$${i}.50</span></div>`
const topics = (length: number): string =>
  `<ul>${each(
    length,
    (i) => `<li><a href="/help/${i}">Help with topic ${i}</a><p>All questions about it</p></li>`,
  )}</ul>`

describe('the list of a page', () => {
  test('is that of the products in a form, and not one without prices beside it', () => {
    const shop = `${topics(9)}<form action="/compare">${each(9, lamp)}</form>`
    expect(rowsOf(shop).map(({ url }) => url)).toEqual(
      Array.from({ length: 9 }, (_, index) => `https://a.example/p/${index + 1}`),
    )
    const filter = each(30, (i) => `<label><input type="checkbox"> Colour ${i}</label>`)
    expect(rowsOf(`${topics(9)}<form>${filter}</form>`)).toHaveLength(9)
  })

  test('stays if the budget of the page ends at the products in a form', () => {
    const page = pageOf(`${topics(90)}<form action="/compare">${each(90, lamp)}</form>`)
    const ofSteps = (steps: number): readonly (string | undefined)[] => {
      const { extract, overrun } = detect(page, new PageBudget({ steps, bytes: 10_000_000 }))
      return [extract.items, overrun?.what]
    }
    expect(ofSteps(1_000_000)).toEqual(['.card', undefined])
    expect(ofSteps(250_000)).toEqual(['li', undefined])
  })

  test('is that of many links with much more text than the sentences of the article', () => {
    const says = '<meta property="og:type" content="article">'
    const forms = (length: number): string =>
      each(
        4,
        (part) =>
          `<h2>Part ${part}</h2><ul>${each(
            length,
            (i) => `<li>→ <a href="/f/${part}/${i}">Form ${i} of part ${part} of the law</a></li>`,
          )}</ul>`,
      )
    const text = `<h1>Forms</h1><p>${SENTENCE.repeat(5)}</p><p>${SENTENCE.repeat(5)}</p>`
    expect(kindOf(text + forms(16), says)).toBe('list')
    expect(kindOf(text + forms(5), says)).toBe('article')
    const more = each(40, (i) => `<li><a href="/story/${i}">${SENTENCE} ${i}</a></li>`)
    expect(kindOf(`<article>${text}<h3>More</h3><ul>${more}</ul></article>`, says)).toBe('article')
  })

  test('is not of parts of the layout, which have neither names nor links', () => {
    const tags = ['i', 'em', 'u', 'small', 'q', 'cite', 'var', 'kbd', 'samp']
    const block = (i: number): string =>
      `<div class="block"><${tags[i - 1]}>Light ${i}</${tags[i - 1]}><p>${i}. ${SENTENCE}</p>` +
      `<img src="/i/${i}.jpg" alt=""></div>`
    const shop = `<h1>The lamp</h1><span itemprop="price">7.50</span><button>Add to cart</button>`
    expect(kindOf(shop + each(9, block))).toBe('product')
  })

  test('has no link that only holds a picture among links with texts', () => {
    const links = each(6, (i) => `・<a href="/news/${i}">The news of the day ${i}</a><br>`)
    const rows = rowsOf(`<div class="news">${links}<a href="/older"><img src="/p.gif"></a></div>`)
    expect(rows).toHaveLength(6)
  })

  test('has links with logos among links with texts', () => {
    const logo = (i: number): string => `<img src="/l/${i}.png" alt="Company ${i}">`
    const sponsors = each(
      20,
      (i) => `<a href="/s/${i}">${i % 3 === 0 ? logo(i) : `The company of town ${i}`}</a>`,
    )
    expect(rowsOf(`<div class="sponsors">${sponsors}</div>`)).toHaveLength(20)
  })
})

test('the title of a product is its name and not the number in its heading', () => {
  const [row] = rowsOf(each(9, lamp))
  expect(row?.['title']).toBe('Lamp of 1 candles')
})

test('the image of an item is its own, and not an icon that several items share', () => {
  const plain = (i: number): string => lamp(i).replace('<img src="/icons/best.svg" alt="">', '')
  const rows = rowsOf(each(9, (i) => (i > 5 ? plain(i) : lamp(i))))
  expect(rows.map(({ image }) => image)).toEqual(
    Array.from({ length: 9 }, (_, index) => `https://a.example/i/${index + 1}.jpg`),
  )
})

test('the title of a product is its model, and its brand is another column', () => {
  const camera = (i: number): string =>
    `<div class="card"><a href="/p/${i}"><img src="/i/${i}.jpg"><h3>X${i}00V</h3></a>` +
    `<p class="brand-name">Fine Cameras ${i}</p><span class="price">$${i}99.00</span></div>`
  const [row] = rowsOf(each(9, camera))
  expect(row).toMatchObject({ title: 'X100V', brand: 'Fine Cameras 1' })
})

test('the image of an item may be that of its series, and not the next one', () => {
  const episode = (i: number): string =>
    `<div class="episode"><img src="/art/${i % 3}.jpg"><h3><a href="/e/${i}">Episode ${i}</a></h3>` +
    `<p>${SENTENCE}</p><img class="wave" src="/wave/${i}.png"></div>`
  const [row] = rowsOf(each(12, episode))
  expect(row?.['image']).toBe('https://a.example/art/1.jpg')
})
