import { afterAll, beforeAll, expect, test } from 'vitest'
import { startShop, type Shop } from '../../examples/demo/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

const text = async (path: string) => {
  const response = await fetch(shop.url + path)
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: await response.text(),
  }
}

test('the shop has 3 categories of 20 different products', () => {
  expect(shop.categories.map((category) => category.products.length)).toEqual([20, 20, 20])
  expect(new Set(shop.products.map((product) => product.slug)).size).toBe(60)
  expect(new Set(shop.products.map((product) => product.sku)).size).toBe(60)
  expect(new Set(shop.products.map((product) => product.price)).size).toBeGreaterThan(40)
  expect(shop.products.every((product) => product.rating >= 1 && product.rating <= 5)).toBe(true)
})

test('each category has pages of 7 products, and its last page has no next link', async () => {
  for (const { slug } of shop.categories) {
    const pages = await Promise.all(
      ['', '?page=2', '?page=3'].map((query) => text(`/category/${slug}${query}`)),
    )
    expect(pages.map((page) => page.body.match(/class="product"/g)?.length)).toEqual([7, 7, 6])
    expect(pages.map((page) => page.body.includes('rel="next"'))).toEqual([true, true, false])
  }
})

test('a product page carries its JSON-LD', async () => {
  for (const product of shop.products.slice(0, 3)) {
    const page = await text(`/product/${product.slug}`)
    const data: unknown = JSON.parse(
      /<script type="application\/ld\+json">(.*?)<\/script>/.exec(page.body)?.[1] ?? '',
    )
    expect(data).toMatchObject({
      '@type': 'Product',
      name: product.name,
      sku: product.sku,
      offers: { price: product.price.toFixed(2), priceCurrency: 'EUR' },
    })
  }
})

test('every address of the sitemap and every picture answers', async () => {
  const map = await text('/sitemap.xml')
  const urls = Array.from(map.body.matchAll(/<loc>(.*?)<\/loc>/g), (match) => match[1] ?? '')
  expect(urls).toHaveLength(65)
  const statuses = await Promise.all(urls.map(async (url) => (await fetch(url)).status))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await text(`/images/${shop.products[0]?.slug ?? ''}.svg`)).toMatchObject({
    status: 200,
    type: 'image/svg+xml',
  })
})

test('robots.txt forbids the basket and an unknown path is 404', async () => {
  expect((await text('/robots.txt')).body).toContain('Disallow: /cart')
  expect((await text('/nothing')).status).toBe(404)
  expect((await text('/category/pens?page=4')).status).toBe(404)
})

test('two shops are the same apart from their address', async () => {
  const other = await startShop()
  const page = `/product/${shop.products[41]?.slug ?? ''}`
  const otherText = await (await fetch(other.url + page)).text()
  expect(otherText.replaceAll(other.url, shop.url)).toBe((await text(page)).body)
  await other.close()
})
