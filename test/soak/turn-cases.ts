import type { Attack, AttackCase } from './attack.ts'

/** Attackers that have filled their account. A case is repeated, and fills it once. */
const filled = new WeakSet<Attack>()

async function fillWithTasks(attack: Attack): Promise<void> {
  if (filled.has(attack)) return
  filled.add(attack)
  const recipe = attack.recipe('small', {
    extract: { fields: { a: { const: 'x'.repeat(500_000) } } },
  })
  for (let i = 0; i < 400; i++) {
    const { status } = await attack.askAs(attack.key, '/api/v1/tasks', {
      method: 'POST',
      body: { name: `large ${i}`, recipe },
    })
    if (status === 201) continue
    attack.check('a large task', status > 0 && status < 500, `${status} after ${i}`)
    return
  }
}

/** Requests and pages that held the event loop for long, until their work was divided into turns. */
export const TURN_CASES: readonly AttackCase[] = [
  {
    id: 'T1-groups',
    about: '500 URLs of 900 empty groups each',
    run: (attack) =>
      attack.ask('task', '/api/v1/tasks', {
        method: 'POST',
        body: {
          name: 'empty groups',
          recipe: attack.recipe('small', {
            start: {
              urls: Array.from(
                { length: 500 },
                (_, i) => `${attack.origin}/small?${i}=${'{}'.repeat(900)}`,
              ),
            },
            extract: { fields: { a: 'h1' } },
          }),
        },
      }),
  },
  {
    id: 'T2-search',
    about: 'a search of agents after pages of a sign that is 18 letters long',
    async run(attack) {
      await attack.execute(
        'long signs',
        attack.recipe('long-signs', {
          start: { urls: [`${attack.origin}/long-signs?{1..5}`] },
          formats: ['markdown'],
        }),
      )
      await attack.settle(30_000)
      await attack.ask('search', '/api/v1/mcp/agentic-executions', {
        method: 'POST',
        body: { tool: 'search', arguments: { query: 'some words about pens and ink' } },
      })
    },
  },
  {
    id: 'T3-heading',
    about: 'a text of a heading of 9 MB of spaces, fetched by an agent',
    run: (attack) => attack.fetch('heading', 'heading-of-spaces'),
  },
  {
    id: 'T4-import',
    about: 'an import of 500 tasks',
    run: (attack) =>
      attack.ask('import', '/api/v1/tasks/import', {
        method: 'POST',
        body: {
          version: 1,
          tasks: Array.from({ length: 500 }, (_, i) => ({
            name: `imported ${i}`,
            recipe: attack.recipe('small', { extract: { fields: { a: `.a${i}` } } }),
          })),
        },
      }),
  },
  {
    id: 'T5-filter',
    about: '400 tasks of 500 KB, listed 20 times at once with a filter that none meets',
    async run(attack) {
      await fillWithTasks(attack)
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          attack.ask(`list ${i}`, '/api/v1/tasks?limit=100&q=nowhere', { read: false }),
        ),
      )
    },
  },
  {
    id: 'T6-sitemap',
    about: 'a sitemap that is one tag of two million attributes',
    run: (attack) =>
      attack.execute('sitemap', {
        start: { sitemap: `${attack.origin}/sitemap-of-attributes.xml` },
        crawl: { robots: false },
        extract: { fields: { a: 'h1' } },
      }),
  },
]
