import { listIn, numberIn, textIn } from '../evaluation.ts'
import type { Evaluation } from '../evaluation.ts'
import type { Agent, Data } from '../agent.ts'
import { listPage, PRODUCTS } from '../sites.ts'
import type { Product, Web } from '../sites.ts'

const URL_OF = 'https://shop.example.com/new'
const FEW = PRODUCTS.slice(0, 6)
const [first, second] = FEW
const names = (products: readonly Product[]) => products.map(({ name }) => name)
const show = (web: Web, products: readonly Product[]): void => {
  web[URL_OF] = listPage('New things', products)
}
const few = (): Web => {
  const web: Web = {}
  show(web, FEW)
  return web
}

/** Extracts the list, watches it, and waits for the first run; returns what watch returned. */
async function watched({ call, dayPasses }: Agent): Promise<Data> {
  const { data } = await call('extract', { url: URL_OF, wanted: 'name, price' })
  const watch = await call('watch', { name: 'New things', recipe: data['recipe'], key: ['name'] })
  await dayPasses()
  return watch.data
}

/** The changes since the agent looked last. */
async function changesAfter(agent: Agent, change: () => void): Promise<readonly Data[]> {
  const { datasetId } = await watched(agent)
  const { data: before } = await agent.call('dataset_changes', { datasetId })
  change()
  await agent.dayPasses()
  const cursor = before['nextCursor']
  const { data } = await agent.call('dataset_changes', { datasetId, cursor })
  return listIn(data, 'changes')
}

const kindsOf = (changes: readonly Data[]) =>
  changes.map((change) => [change['kind'], textIn(Object(change['key']), 'name')])

/** Tasks that look again at something. */
export const WATCH: readonly Evaluation[] = [
  {
    asks: 'Watch the new things, and tell me tomorrow what there is.',
    tools: 'extended',
    web: few,
    async agent(agent) {
      const { datasetId } = await watched(agent)
      const { data } = await agent.call('query_dataset', { datasetId })
      return listIn(data, 'items')
        .map((item) => item['name'])
        .toSorted()
    },
    right: names(FEW).toSorted(),
  },
  {
    asks: 'Tell me when a price changes, and the new price.',
    tools: 'extended',
    web: few,
    async agent(agent, web) {
      const cheaper = FEW.map((one, index) => (index === 1 ? { ...one, price: 1.1 } : one))
      const changes = await changesAfter(agent, () => show(web, cheaper))
      const [change = {}] = changes
      return [...kindsOf(changes), numberIn(Object(Object(change['fields'])['price'])['after'])]
    },
    right: [['changed', second?.name], 1.1],
  },
  {
    asks: 'Tell me when something is not sold any more.',
    tools: 'extended',
    web: few,
    agent: async (agent, web) => kindsOf(await changesAfter(agent, () => show(web, FEW.slice(1)))),
    right: [['gone', first?.name]],
  },
  {
    asks: 'Tell me what is new.',
    tools: 'extended',
    web: few,
    agent: async (agent, web) =>
      kindsOf(await changesAfter(agent, () => show(web, PRODUCTS.slice(0, 7)))),
    right: [['added', PRODUCTS[6]?.name]],
  },
  {
    asks: 'Tell me when the thing that went comes back.',
    tools: 'extended',
    web: few,
    async agent(agent, web) {
      const { datasetId } = await watched(agent)
      show(web, FEW.slice(1))
      await agent.dayPasses()
      show(web, FEW)
      await agent.dayPasses()
      const { data } = await agent.call('dataset_changes', {
        datasetId,
        kinds: ['gone', 'returned'],
      })
      return kindsOf(listIn(data, 'changes'))
    },
    right: [
      ['gone', first?.name],
      ['returned', first?.name],
    ],
  },
  {
    asks: 'Save this extraction, and show me that it still works.',
    tools: 'extended',
    web: few,
    async agent({ call }) {
      const { data } = await call('extract', { url: URL_OF, wanted: 'name, price' })
      const { data: task } = await call('save_task', { name: 'Mine', recipe: data['recipe'] })
      const { data: preview } = await call('preview', { taskId: task['taskId'] })
      const [row = {}] = listIn(preview, 'rows')
      return [listIn(preview, 'rows').length, row['name']]
    },
    right: [6, first?.name],
  },
  {
    asks: 'Which of my datasets has the new things, and what identifies a row in it?',
    tools: 'extended',
    web: few,
    async agent(agent) {
      await watched(agent)
      const { data } = await agent.call('query_dataset', {})
      return listIn(data, 'items').map((item) => [item['name'], item['keyFields']])
    },
    right: [['New things', ['name']]],
  },
  {
    asks: 'Nothing has changed, has it?',
    tools: 'extended',
    web: few,
    agent: async (agent) => (await changesAfter(agent, () => undefined)).length,
    right: 0,
  },
]
