import { member, textOf } from './api.ts'
import type { Attack, AttackCase } from './attack.ts'

const keyFor = async (
  attack: Attack,
  name: string,
  scopes: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const { data } = await attack.ask(`key ${name}`, '/api/v1/keys', {
    method: 'POST',
    body: { name, scopes, ...more },
  })
  return textOf(member(data, 'secret'))
}

/** Gaps of scopes, and requests that cost more than they seem to. */
export const MEDIUM_CASES: readonly AttackCase[] = [
  {
    id: 'M1',
    about: 'a key that ends makes one that does not',
    async run(attack) {
      const ends = new Date(Date.now() + 3_600_000).toISOString()
      const parent = await keyFor(attack, 'parent', ['keys:write', 'tasks:read'], {
        expiresAt: ends,
      })
      const child = await attack.askAs(parent, '/api/v1/keys', {
        method: 'POST',
        body: { name: 'child', scopes: ['tasks:read'] },
      })
      const childEnds = textOf(member(child.data, 'expiresAt'))
      attack.check(
        'the key it made',
        child.status >= 400 || (childEnds !== '' && childEnds <= ends),
        child.status >= 400 ? `refused: ${child.status}` : `ends ${childEnds || 'never'}`,
      )
    },
  },
  {
    id: 'M2',
    about: 'tasks:write sets a schedule',
    async run(attack) {
      const key = await keyFor(attack, 'tasks alone', ['tasks:read', 'tasks:write'])
      const body = {
        name: 'scheduled',
        recipe: attack.recipe('small', { extract: { fields: { a: 'h1' } } }),
        schedule: { cron: '0 0 1 1 *' },
      }
      const created = await attack.askAs(key, '/api/v1/tasks', { method: 'POST', body })
      attack.check(
        'the task',
        created.status === 403,
        `${created.status} ${created.error ?? ''}`.trim(),
      )
    },
  },
  {
    id: 'M3',
    about: "a replay of another tool's call",
    async run(attack) {
      const [fetching, searching] = [
        await keyFor(attack, 'fetch', ['mcp:fetch']),
        await keyFor(attack, 'search', ['mcp:search']),
      ]
      const call = {
        method: 'POST',
        headers: { 'idempotency-key': `soak-${Date.now()}` },
        body: { tool: 'fetch', arguments: { id: `${attack.origin}/small` } },
      }
      const first = await attack.askAs(fetching, '/api/v1/mcp/agentic-executions', call)
      const again = await attack.askAs(searching, '/api/v1/mcp/agentic-executions', call)
      attack.check(
        'the replay',
        first.status === 201 && again.status === 403,
        `first ${first.status}, replayed ${again.status}`,
      )
    },
  },
  {
    id: 'M4',
    about: 'a model that answers with 5,000 lines in a fence',
    server: 'host',
    run: (attack) =>
      attack.execute(
        'fence',
        attack.recipe('asks-for-fences', { extract: { fields: { a: { model: 'The price' } } } }),
      ),
  },
  {
    id: 'M5-lists',
    about: '100 tasks of 1 MB, listed 60 times at once',
    async run(attack) {
      const recipe = attack.recipe('small', {
        extract: { fields: { a: { const: 'x'.repeat(1_000_000) } } },
      })
      for (let i = 0; i < 100; i++) {
        const { status } = await attack.askAs(attack.key, '/api/v1/tasks', {
          method: 'POST',
          body: { name: `large ${i}`, recipe },
        })
        if (status !== 201) {
          attack.check('a large task', status > 0 && status < 500, `${status} after ${i}`)
          break
        }
      }
      await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          attack.ask(`list ${i}`, '/api/v1/tasks?limit=100', { read: false }),
        ),
      )
    },
  },
  {
    id: 'M5-results',
    about: '600 rows of 1 MB, listed 20 times at once and exported',
    async run(attack) {
      const value = 'x'.repeat(1_000_000)
      const recipe = {
        start: { urls: [`${attack.origin}/items?{1..24}`] },
        crawl: { robots: false },
        extract: { items: '.i', fields: { a: ':scope', b: { const: value } } },
      }
      const id = await attack.execute('large rows', recipe)
      await attack.settle(60_000)
      const path = `/api/v1/executions/${id}/results`
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          attack.ask(`list ${i}`, `${path}?limit=100`, { read: false }),
        ),
      )
      const most = Math.max(...answers.map(({ bytes }) => bytes))
      attack.check(
        'the largest page',
        most > 0 && most < 8_000_000,
        `${(most / 1_048_576).toFixed(1)} MB`,
      )
      await attack.ask('export', `${path}/export?format=jsonl`, { read: false })
    },
  },
  {
    id: 'M6',
    about: '4,000 patterns in one recipe, and 90,000 unknown names',
    run: (attack) => {
      const sources = Array.from({ length: 20 }, (_, i) => ({ regex: `a+${i}` }))
      const fields = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, sources]))
      const unknown = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`u${i}`, 1]))
      return Promise.all([
        attack.ask('patterns', '/api/v1/tasks', {
          method: 'POST',
          body: { name: 'patterns', recipe: attack.recipe('small', { extract: { fields } }) },
        }),
        attack.ask('unknown names', '/api/v1/tasks', {
          method: 'POST',
          body: { name: 'unknown', recipe: attack.recipe('small', unknown) },
        }),
      ])
    },
  },
]
