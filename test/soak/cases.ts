import { member, textOf } from './api.ts'
import type { Attack, AttackCase } from './attack.ts'
import { MEDIUM_CASES } from './medium-cases.ts'
import { TURN_CASES } from './turn-cases.ts'

const fields = (source: unknown) => ({ extract: { fields: { a: source } } })
const MANY = {
  css: 'p',
  many: true,
  transform: [{ split: 'a' }, ...[1, 2].map(() => ({ replace: ['b', 'b'.repeat(400)] })), 'upper'],
}
/** The same page as an execution, a preview and an agent's `fetch`, which run in different places. */
const everyWay = (
  attack: Attack,
  what: string,
  page: string,
  rest?: Readonly<Record<string, unknown>>,
) =>
  Promise.all([
    attack.execute(what, attack.recipe(page, rest)),
    attack.preview(what, attack.recipe(page, rest)),
    ...(rest === undefined ? [attack.fetch(what, page)] : []),
  ])
/** `count` fields of 20 sources each, of 50 alternatives. */
const selectors = (count: number) => {
  const list = Array.from({ length: 50 }, (_, i) => `[z${i}]`).join(',')
  return {
    extract: {
      fields: Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`f${i}`, Array<string>(20).fill(list)]),
      ),
    },
  }
}

const CRITICAL_CASES: readonly AttackCase[] = [
  {
    id: 'C1',
    about: '9 MB in 480 nested elements, each one a value or a row',
    run: (attack) =>
      Promise.all([
        attack.execute('values', attack.recipe('deep-text', fields({ css: 'div', many: true }))),
        attack.execute(
          'rows',
          attack.recipe('deep-text', {
            extract: { items: 'div', fields: { a: { css: ':scope' }, b: { const: 1 } } },
          }),
        ),
      ]),
  },
  {
    id: 'C2',
    about: 'a transform that makes 1.6 GB of 20 KB',
    run: (attack) => everyWay(attack, 'transform', 'many-parts', fields(MANY)),
  },
  {
    id: 'C3-title',
    about: 'a title of 200 KB of spaces',
    run: (attack) =>
      Promise.all([
        everyWay(attack, 'spaces', 'title-of-spaces'),
        everyWay(attack, 'spaces as facts', 'title-of-spaces', {
          formats: ['metadata', 'article'],
        }),
      ]),
  },
  {
    id: 'C3-headings',
    about: 'a long title beside 12,000 headings',
    run: (attack) => everyWay(attack, 'headings', 'title-of-headings', { formats: ['metadata'] }),
  },
  {
    id: 'C3-markdown',
    about: '400 nested quotes around 20,000 lines',
    run: (attack) => everyWay(attack, 'quotes', 'quoted-lines'),
  },
  {
    id: 'C3-number',
    about: 'numbers of 10,000 commas',
    run: (attack) =>
      everyWay(
        attack,
        'commas',
        'numbers-of-commas',
        fields({ css: '.n', as: 'number', many: true }),
      ),
  },
  {
    id: 'C3-next',
    about: 'a link of 240,000 arrows',
    run: (attack) =>
      everyWay(attack, 'arrows', 'arrows', { follow: [{ next: ':auto' }], ...fields('p') }),
  },
  {
    id: 'C3-money',
    about: '180 KB of digits, detected',
    run: (attack) => everyWay(attack, 'digits', 'digits', { extract: 'auto' }),
  },
  {
    id: 'C3-table',
    about: '60 KB of brackets in a table, detected',
    run: (attack) => everyWay(attack, 'brackets', 'brackets', { extract: 'auto' }),
  },
  { id: 'C3-angles', about: '10 MB of <', run: (attack) => everyWay(attack, 'angles', 'angles') },
  {
    id: 'C3-closed',
    about: '10 MB of </p>',
    run: (attack) => everyWay(attack, 'closed', 'closed-paragraphs'),
  },
  {
    id: 'C4-folding',
    about: '1,000 patterns of 9,000 start URLs that are one',
    run: (attack) =>
      attack.ask('task', '/api/v1/tasks', {
        method: 'POST',
        body: {
          name: 'folding',
          recipe: {
            start: { urls: Array<string>(1_000).fill(`${attack.origin}/small#{1..9000}`) },
          },
        },
      }),
  },
  {
    id: 'C4-template',
    about: '180 such patterns as a parameter of a template',
    async run(attack) {
      const urls = Array<string>(180).fill(`${attack.origin}/small#{1..9000}`)
      const { data } = await attack.ask('template', '/api/v1/templates/article/executions', {
        method: 'POST',
        body: { params: { urls } },
      })
      attack.follow('template', textOf(member(data, 'id')))
    },
  },
  {
    id: 'C4-groups',
    about: '40 URLs of 600 groups each',
    run: (attack) =>
      attack.ask('task', '/api/v1/tasks', {
        method: 'POST',
        body: {
          name: 'groups',
          recipe: {
            start: {
              urls: Array<string>(40).fill(`${attack.origin}/small#{1..9000}${'{x}'.repeat(600)}`),
            },
          },
        },
      }),
  },
]

const HIGH_CASES: readonly AttackCase[] = [
  {
    id: 'H1',
    about: '4,000 alternatives on 28,000 elements',
    run: (attack) => everyWay(attack, 'selectors', 'many-elements', selectors(4)),
  },
  {
    id: 'H2',
    about: '10 rules that follow * on 500 levels',
    run: (attack) =>
      everyWay(attack, 'links', 'deep-links', {
        follow: Array.from({ length: 10 }, (_, i) => ({ links: '*', as: `l${i}` })),
        crawl: { robots: false, maxPages: 3 },
        ...fields('p'),
      }),
  },
  {
    id: 'H3',
    about: 'one text under 17,000 names of microdata',
    run: (attack) => everyWay(attack, 'names', 'many-names', { formats: ['structured'] }),
  },
  {
    id: 'H4',
    about: 'four executions of a sitemap of 5,000 silent children, budget 5 s',
    async run(attack) {
      await Promise.all(
        Array.from({ length: 4 }, (_, i) =>
          attack.execute(`sitemap ${i}`, {
            start: { sitemap: `${attack.origin}/sitemap.xml` },
            crawl: { robots: false },
            extract: { fields: { a: 'h1' } },
            budget: { seconds: 5 },
          }),
        ),
      )
      // They have all places of the worker: more of them would only wait for their own.
      await attack.settle(15_000)
    },
  },
  {
    id: 'H5',
    about: '240 wildcards of JSONPath on 6 MB, and a slice of 200,000',
    run: (attack) =>
      Promise.all([
        everyWay(
          attack,
          'wildcards',
          'list-6mb',
          fields({ json: `$[${Array<string>(240).fill('*').join(',')}]`, many: true }),
        ),
        everyWay(attack, 'slice', 'list-honest', fields({ json: '$.items[0:]', many: true })),
      ]),
  },
  {
    id: 'H6-brackets',
    about: 'bodies of a megabyte of opening brackets, to the API and to the tools of agents',
    run: (attack) =>
      Promise.all(
        ['/api/v1/tasks', '/api/v1/tasks/preview', '/mcp'].map((path) =>
          attack.ask(`brackets: ${path}`, path, {
            method: 'POST',
            body: `{"name":${'['.repeat(1_000_000)}`,
          }),
        ),
      ),
  },
]

/** All of them, in turns. */
export const CASES: readonly AttackCase[] = [
  ...CRITICAL_CASES,
  ...HIGH_CASES,
  ...MEDIUM_CASES,
  ...TURN_CASES,
]
