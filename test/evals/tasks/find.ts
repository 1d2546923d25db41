import { after, listIn, numberIn, textIn } from '../evaluation.ts'
import type { Evaluation } from '../evaluation.ts'
import { manual, news, towns } from '../sites.ts'

const GUIDE = 'https://docs.example.com/guide/'

/** Facts that are somewhere on a page, or on one of several. */
export const FIND: readonly Evaluation[] = [
  {
    asks: 'What is the default port of the mill? It is on its page of settings.',
    tools: 'six',
    web: manual,
    async agent({ call }) {
      const { text } = await call('fetch', { url: `${GUIDE}settings` })
      return numberIn(after(text, 'default port is'))
    },
    right: 7_411,
  },
  {
    asks: 'Which page of the guide speaks of graphite?',
    tools: 'six',
    web: manual,
    async agent({ call }) {
      await call('crawl', { url: GUIDE, maxPages: 10, limit: 1, waitSeconds: 50 })
      const { data } = await call('search', { query: 'graphite dust' })
      return listIn(data, 'results')[0]?.['url']
    },
    right: `${GUIDE}backup`,
  },
  {
    asks: 'In which version did the lever become brass? The history is long.',
    tools: 'six',
    web: manual,
    async agent({ call }) {
      let answer = await call('fetch', { url: `${GUIDE}history` })
      for (let part = 0; part < 20; part++) {
        const [before, brass] = answer.text.split('The lever is now of brass')
        const versions = [...(before ?? '').matchAll(/Version (1\.\d+)/g)]
        if (brass !== undefined) return versions.at(-1)?.[1]
        const metadata = answer.data['metadata']
        const id = new Map(Object.entries(Object(metadata))).get('nextId')
        if (typeof id !== 'string') return null
        answer = await call('fetch', { id })
      }
      return null
    },
    right: '1.371',
  },
  {
    asks: 'How many pencils does a batch have at most? The guide has a page on limits.',
    tools: 'extended',
    web: manual,
    async agent({ call }) {
      const { data } = await call('map', { url: GUIDE })
      const url = listIn(data, 'links').find(({ text }) => text === 'limits')?.['url']
      const { text } = await call('fetch', { url })
      return numberIn(after(text, 'at most'))
    },
    right: 1_250,
  },
  {
    asks: 'Who wrote the article on the new mill, and when?',
    tools: 'six',
    web: news,
    async agent({ call }) {
      const { data } = await call('fetch', { url: 'https://news.example.com/mill' })
      const { author, date } = Object(data['metadata'])
      return [author, String(date).slice(0, 10)]
    },
    right: ['Ida Stift', '2026-03-02'],
  },
  {
    asks: 'What is the newest item of the feed of the Pencil Post?',
    tools: 'six',
    web: news,
    async agent({ call }) {
      const { text } = await call('fetch', { url: 'https://news.example.com/feed.xml' })
      const items = [...text.matchAll(/## \[([^\]]+)\]\(/g)].map(([, title]) => title)
      const dates = [...text.matchAll(/\d{4}-\d{2}-\d{2}/g)].map(([date]) => date)
      return items[dates.indexOf(dates.toSorted().at(-1) ?? '')]
    },
    right: 'A new mill for graphite',
  },
  {
    asks: 'Is there a ready-made extraction for articles, and what does it need?',
    tools: 'six',
    web: news,
    async agent({ call }) {
      const { data } = await call('search_templates', { query: 'article' })
      const template = listIn(data, 'templates').find(({ id }) => id === 'article')
      return [textIn(template ?? {}, 'id'), Object(template?.['parameters']).required]
    },
    right: ['article', ['urls']],
  },
  {
    asks: 'How many trees has Ast, by the CSV file of the towns?',
    tools: 'six',
    web: towns,
    async agent({ call }) {
      const { text } = await call('fetch', { url: 'https://towns.example.com/trees.csv' })
      return numberIn(/Ast[,|\s]+(\d+)/.exec(text)?.[1])
    },
    right: 9_120,
  },
]
