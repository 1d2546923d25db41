import { after, least, listIn, numberIn, textIn } from '../evaluation.ts'
import type { Evaluation } from '../evaluation.ts'
import type { Agent, Data } from '../agent.ts'
import { listPage, manual, news, PRODUCTS, shop, towns } from '../sites.ts'

const SHOP = 'https://shop.example.com'
const TOWNS = 'https://towns.example.com'
const GUIDE = 'https://docs.example.com'
const NEWS = 'https://news.example.com'
const [first, second] = PRODUCTS
const priceOf = async ({ call }: Agent, url: string): Promise<number> =>
  numberIn(after((await call('fetch', { url })).text, '€'))
const peopleOf = async ({ call }: Agent, town: string): Promise<readonly number[]> => {
  const { data } = await call('extract', { url: `${TOWNS}/${town}` })
  return listIn(data, 'rows').map((row) => numberIn(Object.values(row)[1]))
}
/** The rival sells half of the things, each for 40 cents less. */
const rivals = () => ({
  ...shop(),
  'https://rival.example.com/list': listPage(
    'Rival',
    PRODUCTS.slice(0, 8)
      .filter((_, index) => index % 2 === 0)
      .map((one) => ({ ...one, price: one.price - 0.4 })),
  ),
})

/** Tasks about differences between pages. */
export const COMPARE: readonly Evaluation[] = [
  {
    asks: 'Which costs less, the pencil of cedar or that of lime, and by how much?',
    tools: 'six',
    web: shop,
    async agent(agent) {
      const cedar = await priceOf(agent, `${SHOP}/p/pencil-of-cedar`)
      const lime = await priceOf(agent, `${SHOP}/p/pencil-of-lime`)
      return [cedar < lime ? 'cedar' : 'lime', Math.abs(cedar - lime)]
    },
    right: ['cedar', (second?.price ?? 0) - (first?.price ?? 0)],
  },
  {
    asks: 'What has changed in the settings since the old version of the guide?',
    tools: 'six',
    web: manual,
    async agent({ call }) {
      const old = await call('fetch', { url: `${GUIDE}/old/settings` })
      const now = await call('fetch', { url: `${GUIDE}/guide/settings` })
      const sentencesOf = ({ data }: { data: Data }) => textIn(data, 'text').split(/(?<=[.])\s+/)
      const before = new Set(sentencesOf(old))
      return sentencesOf(now)
        .filter((sentence) => !before.has(sentence))
        .map(numberIn)
    },
    right: [7_411, 240],
  },
  {
    asks: 'Which things does the rival sell for less?',
    tools: 'extended',
    web: rivals,
    async agent({ call }) {
      const columns = 'name, price'
      const { data: own } = await call('extract', { url: `${SHOP}/list`, wanted: columns })
      const { data: rival } = await call('extract', {
        url: 'https://rival.example.com/list',
        wanted: columns,
      })
      const prices = new Map(listIn(own, 'rows').map(({ name, price }) => [name, numberIn(price)]))
      return listIn(rival, 'rows')
        .filter(({ name, price }) => numberIn(price) < (prices.get(name) ?? 0))
        .map(({ name }) => name)
    },
    right: PRODUCTS.slice(0, 8)
      .filter((_, index) => index % 2 === 0)
      .map(({ name }) => name),
  },
  {
    asks: 'Which town has grown more since 2022?',
    tools: 'extended',
    web: towns,
    async agent(agent) {
      const growth = (people: readonly number[]) => (people.at(-1) ?? 0) - (people[0] ?? 0)
      const ast = growth(await peopleOf(agent, 'ast'))
      const zweig = growth(await peopleOf(agent, 'zweig'))
      return [ast > zweig ? 'Ast' : 'Zweig', ast, zweig]
    },
    right: ['Zweig', 2_810, 6_900],
  },
  {
    asks: 'Which of two articles is older?',
    tools: 'six',
    web: news,
    async agent({ call }) {
      const urls = [`${NEWS}/mill`, `${NEWS}/lime`]
      const dated = []
      for (const url of urls) {
        const { data } = await call('fetch', { url })
        dated.push({ url, date: String(Object(data['metadata']).date) })
      }
      return dated.toSorted((a, b) => a.date.localeCompare(b.date))[0]?.url
    },
    right: `${NEWS}/lime`,
  },
  {
    asks: 'Which item of the feed is not on the front page?',
    tools: 'extended',
    web: news,
    async agent({ call }) {
      const { data } = await call('map', { url: `${NEWS}/` })
      const { data: feed } = await call('extract', { url: `${NEWS}/feed.xml` })
      const front = new Set(listIn(data, 'links').map(({ url }) => url))
      return listIn(feed, 'rows')
        .map((row) => Object.values(row).find((value) => String(value).startsWith(NEWS)))
        .filter((url) => !front.has(url))
    },
    right: [`${NEWS}/mill`],
  },
  {
    asks: 'Which town has more trees, and which the older one, by CSV and JSON?',
    tools: 'six',
    web: towns,
    async agent({ call }) {
      const csv = await call('fetch', { url: `${TOWNS}/trees.csv` })
      const json = await call('fetch', { url: `${TOWNS}/trees.json` })
      const trees = (town: string) =>
        numberIn(new RegExp(`${town}[,|\\s]+(\\d+)`).exec(csv.text)?.[1])
      const oldest = (town: string) => numberIn(after(after(json.text, town) ?? '', '"oldest":'))
      return [
        trees('Ast') > trees('Zweig') ? 'Ast' : 'Zweig',
        oldest('Ast') > oldest('Zweig') ? 'Ast' : 'Zweig',
      ]
    },
    right: ['Ast', 'Zweig'],
  },
  {
    asks: 'Which thing has the most stars, and of several the least price?',
    tools: 'extended',
    web: shop,
    async agent({ call }) {
      const { data } = await call('extract', {
        url: `${SHOP}/list`,
        wanted: 'name, price, rating',
      })
      const most = Math.max(...listIn(data, 'rows').map(({ rating }) => numberIn(rating)))
      const best = listIn(data, 'rows').filter(({ rating }) => numberIn(rating) === most)
      return least(best, 'price')?.['name']
    },
    right: PRODUCTS.toSorted((a, b) => b.rating - a.rating || a.price - b.price)[0]?.name,
  },
]
