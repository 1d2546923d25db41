import { request } from 'node:http'
import { Attack, type AttackCase } from '../attack.ts'
import type { Target } from '../attacker.ts'

// One who sends anything, as a process of its own. The first message is the target; each later one
// asks for one call. It answers with the outcomes that there are since.

/** More than so many at once would be an attack by their number. */
const AT_ONCE = 6
const SETTLE_MS = 60_000
const JSON_POST = { method: 'POST' } as const

const fields = (source: unknown) => ({ extract: { fields: { a: source } } })
const ask = (id: string, path: string, call: object = {}): AttackCase => ({
  id,
  about: path,
  run: (attack) => attack.ask(id, path, call),
})

/** Small calls, and pages that were made to cost much; each once in every round. */
const CALLS: readonly AttackCase[] = [
  ask('no JSON', '/api/v1/tasks', { ...JSON_POST, body: '{"name":"a", "recipe": {' }),
  ask('brackets', '/api/v1/tasks', { ...JSON_POST, body: `{"name":${'['.repeat(200_000)}` }),
  ask('too large', '/api/v1/tasks', { ...JSON_POST, body: `{"name":"${'x'.repeat(9_000_000)}"}` }),
  ask('not an object', '/api/v1/executions', { ...JSON_POST, body: '[1,2,3]' }),
  ask('proto', '/api/v1/tasks', { ...JSON_POST, body: '{"__proto__":{"a":1},"name":"a"}' }),
  ask('no such id', '/api/v1/executions/ex_00000000000000000000000000'),
  ask('a path up', '/api/v1/executions/..%2f..%2fetc%2fpasswd'),
  ask('a forged cursor', '/api/v1/tasks?cursor=eyJhIjoxfQ'),
  ask('a long query', `/api/v1/tasks?q=${'%20'.repeat(3_000)}`),
  ask('no such method', '/api/v1/tasks', { method: 'PATCH', body: {} }),
  ask('no such key', '/api/v1/tasks', { headers: { 'x-api-key': 'svc_sk_wrong' } }),
  ask('a private file', '/api/v1/executions', {
    ...JSON_POST,
    body: { recipe: { start: { urls: ['file:///etc/passwd'] } } },
  }),
  {
    id: 'many start URLs',
    about: 'patterns that are one URL',
    run: (attack) =>
      attack.ask('many start URLs', '/api/v1/tasks', {
        method: 'POST',
        body: {
          name: 'folding',
          recipe: { start: { urls: Array<string>(200).fill(`${attack.origin}/small#{1..9000}`) } },
        },
      }),
  },
  {
    id: 'selectors',
    about: 'a preview of many alternatives on many elements',
    run: (attack) =>
      attack.preview(
        'selectors',
        attack.recipe('many-elements', fields(Array<string>(20).fill('[z0],[z1],[z2],[z3],[z4]'))),
      ),
  },
  {
    id: 'headings',
    about: 'a preview of a long title beside many headings',
    run: (attack) => attack.preview('headings', attack.recipe('title-of-headings')),
  },
  {
    id: 'digits',
    about: 'a run that detects digits',
    run: (attack) => attack.execute('digits', attack.recipe('digits', { extract: 'auto' })),
  },
  {
    id: 'quotes',
    about: 'a page of nested quotes, fetched by an agent',
    run: (attack) => attack.fetch('quotes', 'quoted-lines'),
  },
  {
    id: 'arrows',
    about: 'a run that follows a link of arrows',
    run: (attack) =>
      attack.execute(
        'arrows',
        attack.recipe('arrows', { follow: [{ next: ':auto' }], ...fields('p') }),
      ),
  },
  { id: 'half a body', about: 'a request that is left in its midst', run: sendHalf },
]

let round: Attack | null = null
let target: Target | null = null
let next = 0
let running = 0

/** A body that never ends, from one who goes away. */
function sendHalf(attack: Attack): Promise<void> {
  return new Promise((resolve) => {
    if (!target) return resolve()
    const sent = request(`${target.url}/api/v1/tasks`, {
      method: 'POST',
      headers: {
        'x-api-key': attack.key,
        'content-type': 'application/json',
        'content-length': '5000',
      },
    })
    sent.on('error', () => undefined)
    sent.on('close', () => {
      attack.check('half a body', true, 'was left')
      resolve()
    })
    sent.write('{"name":"half', () => sent.destroy())
  })
}

async function sendNext(): Promise<void> {
  if (!target || running >= AT_ONCE) return
  const number = next++ % CALLS.length
  // Each round has an attack of its own, so that the runs of the last one can be followed to their end.
  if (number === 0 || !round) {
    const last = round
    round = new Attack(target)
    if (last) void last.settle(SETTLE_MS).then(() => tell(last))
  }
  const mine = round
  running++
  await CALLS[number]?.run(mine)
  running--
  tell(mine)
}

function tell({ outcomes }: Attack): void {
  process.send?.({ outcomes: outcomes.splice(0) })
}

function isTarget(value: unknown): value is Target {
  return typeof value === 'object' && value !== null && 'origin' in value && 'accounts' in value
}

process.on('message', (message) => {
  if (isTarget(message)) target = message
  else void sendNext()
})
process.on('disconnect', () => process.exit())
