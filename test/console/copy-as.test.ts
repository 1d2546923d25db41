import { expect, it } from 'vitest'
import { ACTIONS } from '../../adapters/command/api/actions.ts'
import { copiesOf, listCall } from '../../src/console/app/parts/copy-as.ts'
import { readSources } from '../support/sources/sources.ts'

// Proves that the calls to copy return the content of the screen, in each way of calling the
// service.

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

it('a value that begins with a dash is not a flag, and a call without a command has none', () => {
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

it('an id is one word of a shell, whatever is in it', () => {
  const account = { path: 'operator/accounts', operation: 'operator.account', query: {} }
  expect(
    ['auth0|1', "a; rm 'b'", 'acc_1'].map(
      (id) => listCall({ ...account, ids: [id], command: 'accounts show' }).command,
    ),
  ).toEqual([
    "accounts show 'auth0|1'",
    String.raw`accounts show 'a; rm '\''b'\'''`,
    'accounts show acc_1',
  ])
})

it('each command to copy is one that seine has, with flags that it takes', () => {
  const commands: string[] = []
  const unknown: string[] = []
  const flagsOf = (line: string): readonly string[] | null => {
    const [name = '', verb = ''] = line.split(' ')
    const actions = ACTIONS[name]?.actions ?? []
    const action =
      actions.length === 1 ? actions[0] : actions.find((candidate) => candidate.verb === verb)
    return action ? Object.keys({ ...action.query, ...action.flags }) : null
  }
  for (const [path, text] of readSources('src/console/app')) {
    for (const [, line = ''] of text.matchAll(/command: ['`]([^'`$]+?)(?: ?\$|['`])/g)) {
      commands.push(line)
      if (flagsOf(line) === null) unknown.push(`${path}: ${line}`)
    }
    // The filters of a list are flags of its command.
    for (const [, query = '', line = ''] of text.matchAll(
      /query: \{((?:(?!query:)[^])*?)\},\s+command: '([^']+)'/g,
    ))
      for (const [, filter = '', short = ''] of query.matchAll(/\b(\w+):|\{ (\w+) \}/g))
        if (flagsOf(line)?.includes(filter || short) !== true)
          unknown.push(`${path}: ${line} --${filter || short}`)
  }
  // Those of pages are in a variable.
  for (const filter of ['outcome', 'reason', 'host'])
    if (flagsOf('pages')?.includes(filter) !== true) unknown.push(`pages --${filter}`)
  expect(unknown).toEqual([])
  expect(commands.length).toBeGreaterThan(15)
})
