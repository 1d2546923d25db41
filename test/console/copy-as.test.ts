import { expect, it } from 'vitest'
import { copiesOf, listCall } from '../../src/console/app/parts/copy-as.ts'

// Proves that the calls to copy are those of what is on screen, in each way that the service is called.

const API = 'https://data.example'

function textsOf(call: Parameters<typeof copiesOf>[0]): Readonly<Record<string, string>> {
  return Object.fromEntries(copiesOf(call, API).map(({ name, text }) => [name, text]))
}

it('a list is copied with its filters and columns, also those with commas in their names', () => {
  const texts = textsOf(
    listCall({
      path: 'executions/exec_1/results',
      operation: 'results.list',
      ids: ['exec_1'],
      query: { limit: 100, fields: ['name', 'price, net'], state: undefined },
      command: 'rows',
    }),
  )
  const fields = 'fields=name%2C%22price%2C+net%22'
  expect(texts['curl']).toContain(`'${API}/api/v1/executions/exec_1/results?limit=100&${fields}'`)
  expect(texts['Python']).toContain(fields)
  expect(texts['TypeScript']?.replaceAll(/\s+/g, ' ')).toContain(
    'client.results.list("exec_1", { "limit": 100, "fields": [ "name", "price, net" ] })',
  )
  expect(texts['CLI']).toContain(`seine rows exec_1 --limit 100 --fields 'name,"price, net"'`)
})

it('a value that begins with a dash is no flag, and a call without a command has none', () => {
  const query = { sort: '-at' }
  const list = {
    path: 'datasets/ds_1/changes',
    operation: 'datasets.changes',
    ids: ['ds_1'],
    query,
  }
  expect(textsOf(listCall({ ...list, command: 'datasets changes' }))['CLI']).toContain(
    'seine datasets changes ds_1 --sort=-at',
  )
  expect(Object.keys(textsOf(listCall(list)))).toEqual(['curl', 'TypeScript', 'Python'])
  const bare = textsOf(listCall({ path: 'me', operation: 'me.get', query: {} }))
  expect(bare['curl']).toContain(`'${API}/api/v1/me'`)
  expect(bare['TypeScript']).toContain('client.me.get()')
})
