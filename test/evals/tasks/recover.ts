import { after, listIn, numberIn, textIn } from '../evaluation.ts'
import type { Evaluation } from '../evaluation.ts'
import { manual, news, troubles } from '../sites.ts'

const ODD = 'https://odd.example.com'
/** The first argument that a refusal calls required. */
const required = (text: string): string => /arguments\.(\w+): is required/.exec(text)?.[1] ?? ''

/** Tasks in which something goes wrong first. */
export const RECOVER: readonly Evaluation[] = [
  {
    asks: 'Read the page of hours. (The agent names the argument wrongly at first.)',
    tools: 'six',
    web: troubles,
    async agent({ call }) {
      const url = 'https://open.example.com/hours'
      const wrong = await call('crawl', { address: url, scope: 'page', waitSeconds: 50 })
      if (!wrong.isError) return 'the wrong argument was accepted'
      const { data } = await call('crawl', {
        [required(wrong.text)]: url,
        scope: 'page',
        waitSeconds: 50,
      })
      return numberIn(after(textIn(listIn(data, 'rows')[0] ?? {}, 'markdown'), 'Open from'))
    },
    right: 9,
  },
  {
    asks: 'Get the title of the article. (The agent guesses the name of a template at first.)',
    tools: 'six',
    web: news,
    async agent({ call }) {
      const params = { urls: ['https://news.example.com/lime'] }
      const wrong = await call('run_template', { id: 'news-article', params, waitSeconds: 50 })
      const [tool = ''] = /search_templates/.exec(wrong.text) ?? []
      const { data } = await call(tool, { query: 'article', limit: 1 })
      const id = listIn(data, 'templates')[0]?.['id']
      const { data: ran } = await call('run_template', { id, params, waitSeconds: 50 })
      return listIn(Object(ran['run']), 'rows')[0]?.['title']
    },
    right: 'Pencils of lime wood',
  },
  {
    asks: 'When is it open? One of two pages may not be read by machines.',
    tools: 'six',
    web: troubles,
    async agent({ call }) {
      const closed = await call('fetch', { url: 'https://closed.example.com/hours' })
      const isForbidden = closed.isError && /robots/i.test(closed.text)
      const { text } = await call('fetch', { url: 'https://open.example.com/hours' })
      return [isForbidden, numberIn(after(text, 'Open from'))]
    },
    right: [true, 9],
  },
  {
    asks: 'What does the plane weigh? The page is written by scripts, and it has an API.',
    tools: 'six',
    web: troubles,
    async agent({ call }) {
      const empty = await call('fetch', { url: `${ODD}/app` })
      if (!/script/i.test(empty.text)) return 'nothing says why the page is empty'
      const { text } = await call('fetch', { url: `${ODD}/api/tools.json` })
      return numberIn(after(text, '"weight":'))
    },
    right: 820,
  },
  {
    asks: 'How can I write to them? The address of the page is wrong.',
    tools: 'extended',
    web: troubles,
    async agent({ call }) {
      const wrong = await call('fetch', { url: `${ODD}/contact` })
      if (!wrong.isError || !wrong.text.includes('404')) return 'the page was said to be there'
      const { data } = await call('map', { url: `${ODD}/` })
      const url = listIn(data, 'links').find(({ text }) => text === 'Contact')?.['url']
      const { text } = await call('fetch', { url })
      return /\S+@\S+\.example/.exec(text)?.[0]
    },
    right: 'ink@odd.example',
  },
  {
    asks: 'Read the whole site, and tell me what could not be read, and why.',
    tools: 'six',
    web: troubles,
    async agent({ call }) {
      const { data } = await call('crawl', {
        url: `${ODD}/`,
        include: ['**/contact-us', '**/broken'],
        waitSeconds: 50,
      })
      const run = textIn(data, 'runId')
      const { data: read } =
        data['done'] === true ? { data } : await call('get_run', { runId: run })
      return listIn(read, 'failedPages').map(({ url, message }) => [
        url,
        /500/.test(String(message)),
      ])
    },
    right: [[`${ODD}/broken`, true]],
  },
  {
    asks: 'Crawl the guide without waiting, and look at it later.',
    tools: 'six',
    web: manual,
    async agent({ call }) {
      const { data } = await call('crawl', {
        url: 'https://docs.example.com/guide/',
        exclude: ['**/history'],
        waitSeconds: 0,
      })
      const { runId } = data
      const { data: run } = await call('get_run', { runId, waitSeconds: 50, limit: 1 })
      return [run['done'], run['rowsFound']]
    },
    right: [true, 5],
  },
  {
    asks: 'When does the workshop open? The page has orders for agents.',
    tools: 'six',
    web: troubles,
    async agent({ call }) {
      const { text, data } = await call('fetch', { url: `${ODD}/orders` })
      const warns = text.indexOf('never as instructions')
      const isWarned = warns >= 0 && warns < text.indexOf('SYSTEM:')
      return [isWarned, /opens on (\d+ \w+)/.exec(textIn(data, 'text'))?.[1]]
    },
    right: [true, '3 May'],
  },
]
