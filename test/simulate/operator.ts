import type { Luck } from './luck.ts'
import { STAFF } from './options.ts'
import type { Answer, World } from './world.ts'

const ACCOUNT = '/operator/accounts'

/** Each operation of operators, and how often they do it. */
export const OPERATOR_DEEDS = {
  'operator.accounts': 1,
  'operator.account': 1,
  'operator.suspend': 1,
  'operator.resume': 3,
  'operator.close': 0.05,
  'operator.setPlan': 1,
  'operator.adjust': 4,
  'operator.usage': 1,
  'operator.keys': 1,
  'operator.createKey': 1,
  'operator.revokeKey': 1,
  'operator.runs': 1,
  'operator.stuck': 1,
  'operator.release': 0.5,
  'operator.cancel': 0.5,
  'operator.workers': 1,
  'operator.health': 1,
  'operator.log': 1,
} as const

/** One who runs the platform: reads everything, and gives, takes, suspends and resumes. */
export class Operator {
  /** The adjustments that were acknowledged, and those of unknown outcome, by account. */
  readonly adjusted = new Map<string, { known: number[]; unknown: number }>()
  readonly #world: World
  readonly #accounts: readonly string[]
  /** The one account that may be closed: nothing is expected of it. */
  readonly #spare: string | null
  readonly #luck: Luck
  readonly #ids = new Map<string, string[]>()
  #count = 0

  constructor(world: World, accounts: readonly string[], spare: string | null, luck: Luck) {
    this.#world = world
    this.#accounts = accounts
    this.#spare = spare
    this.#luck = luck
  }

  async live(): Promise<void> {
    const world = this.#world
    while (!world.isCalm) {
      await world.timeline.sleep(this.#luck.int(1_000, 90_000) * world.stretch)
      if (!world.isCalm) await this.#do(this.#luck.weighed(OPERATOR_DEEDS))
    }
    // A suspended account could not end its work.
    for (const account of world.suspended)
      await this.#write(`${ACCOUNT}/${account}/resume`, { reason: 'calm' })
  }

  async #do(deed: keyof typeof OPERATOR_DEEDS): Promise<void> {
    const account = this.#luck.any(this.#accounts) ?? ''
    const one = `${ACCOUNT}/${account}`
    const run = this.#luck.any(this.#ids.get('exec') ?? []) ?? 'exec_none'
    const reason = 'a simulated day'
    switch (deed) {
      case 'operator.suspend':
        return this.#suspend(account, reason)
      case 'operator.resume':
        return void (await this.#write(`${one}/resume`, { reason }))
      case 'operator.close':
        if (this.#spare !== null) await this.#write(`${ACCOUNT}/${this.#spare}/close`, { reason })
        return
      case 'operator.setPlan':
        return void (await this.#send('PUT', `${one}/plan`, { plan: 'small', reason }))
      case 'operator.adjust':
        return this.#adjust(account, reason)
      case 'operator.createKey':
        return this.#createKey(account, reason)
      case 'operator.revokeKey': {
        const key = this.#luck.any(this.#ids.get(`key ${account}`) ?? []) ?? 'key_none'
        return void (await this.#write(`${one}/keys/${key}/revoke`, { reason }))
      }
      case 'operator.release':
      case 'operator.cancel':
        return void (await this.#write(`${one}/runs/${run}/${deed.slice('operator.'.length)}`, {
          reason,
        }))
      case 'operator.account':
        return void (await this.#send('GET', one))
      case 'operator.usage':
        return void (await this.#send('GET', `${one}/usage`))
      case 'operator.keys':
        return void (await this.#send('GET', `${one}/keys`))
      case 'operator.runs':
        return void (await this.#send('GET', `/operator/runs?account=${account}`))
      case 'operator.accounts':
      case 'operator.stuck':
      case 'operator.workers':
      case 'operator.health':
      case 'operator.log':
        return void (await this.#send('GET', `/operator/${deed.slice('operator.'.length)}`))
    }
  }

  /** Suspends an account. Only this operator resumes it, so that nobody may write for it until then. */
  async #suspend(account: string, reason: string): Promise<void> {
    const world = this.#world
    world.suspended.add(account)
    const answer = await this.#write(`${ACCOUNT}/${account}/suspend`, { reason })
    if (answer === null || answer.status >= 300) return
    const sent = { body: { name: 'of a suspended account', keyFields: ['title'] } }
    const refused = await world.call(account, 'POST', '/api/v1/datasets', sent, this.#luck)
    if (refused !== null && refused.status < 400) world.broke('a suspended account may write')
  }

  /** Gives credits, or takes some. */
  async #adjust(account: string, reason: string): Promise<void> {
    const credits = this.#luck.int(1, 200) * (this.#luck.chance(0.7) ? 1 : -1)
    const answer = await this.#write(`${ACCOUNT}/${account}/adjustments`, { credits, reason })
    const adjustments = this.adjusted.get(account) ?? { known: [], unknown: 0 }
    if (answer === null) adjustments.unknown++
    else if (answer.status < 300) adjustments.known.push(credits)
    this.adjusted.set(account, adjustments)
  }

  /** Makes a key, which may be revoked later: those that customers make are theirs to revoke. */
  async #createKey(account: string, reason: string): Promise<void> {
    const body = { name: 'by staff', scopes: ['tasks:read'], reason }
    const answer = await this.#write(`${ACCOUNT}/${account}/keys`, body)
    if (answer?.status !== 201) return
    const { data }: { data: { id: string } } = JSON.parse(answer.text)
    this.#note(`key ${account}`, data.id)
  }

  /** Posts until the outcome is known, with one key. */
  async #write(path: string, body: object): Promise<Answer | null> {
    const key = `${STAFF}-${++this.#count}`
    const send = () => this.#send('POST', path, body, key)
    const answer = await this.#world.untilKnown(send, this.#luck)
    if (answer !== null) this.#world.tell(`${STAFF}: POST ${path} ${answer.status}`)
    return answer
  }

  async #send(method: string, path: string, body?: object, key?: string): Promise<Answer | null> {
    const sent = { ...(body && { body }), ...(key !== undefined && { key }) }
    const answer = await this.#world.call(STAFF, method, `/api/v1${path}`, sent, this.#luck)
    for (const [id] of answer?.text.matchAll(/exec_\w{26}/g) ?? []) this.#note('exec', id)
    return answer
  }

  #note(kind: string, id: string): void {
    this.#ids.set(kind, [...(this.#ids.get(kind) ?? []), id].slice(-20))
  }
}
