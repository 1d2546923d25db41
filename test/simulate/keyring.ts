import type { Luck } from './luck.ts'
import type { Answer, World } from './world.ts'

/** A key of an account, as its owner knows it. */
interface KnownKey {
  readonly id: string
  readonly secret: string
  /** The key that made it. */
  readonly maker: string | null
  /** `unknown`: a revocation had no known outcome. */
  state: 'valid' | 'revoked' | 'unknown'
}

/** Calls until the outcome is known; with a secret, as the key of it. */
export type Write = (
  method: string,
  path: string,
  body?: object,
  secret?: string,
) => Promise<Answer | null>

/** The keys of an account: a tree, as each key may make others. */
export class Keyring {
  readonly #keys: KnownKey[] = []
  readonly #world: World
  readonly #account: string
  readonly #luck: Luck
  readonly #write: Write

  constructor(world: World, account: string, luck: Luck, write: Write) {
    this.#world = world
    this.#account = account
    this.#luck = luck
    this.#write = write
  }

  /** Makes a key, by the account or by one of its keys. */
  async make(): Promise<void> {
    const maker = this.#luck.chance(0.6) ? this.#any('valid') : null
    const body = { name: 'a key', scopes: ['keys:write', 'tasks:read'] }
    const answer = await this.#write('POST', '/keys', body, maker?.secret)
    if (answer?.status !== 201) return
    const { data }: { data: { id: string; secret: string } } = JSON.parse(answer.text)
    this.#keys.push({ ...data, maker: maker?.id ?? null, state: 'valid' })
  }

  /** Revokes a key, alone or with all that come from it. */
  async revoke(): Promise<void> {
    const key = this.#any('valid')
    if (!key) return
    const isWhole = this.#luck.chance(0.5)
    const below = isWhole ? this.#below(key.id) : []
    for (const one of [key, ...below]) one.state = 'unknown'
    const query = isWhole ? '?descendants=true' : ''
    const answer = await this.#write('DELETE', `/keys/${key.id}${query}`)
    if (answer?.status !== 200) return
    for (const one of [key, ...below]) one.state = 'revoked'
  }

  /** Uses a key: one that is revoked opens nothing, and one that is valid its own account alone. */
  async use(): Promise<void> {
    const key = this.#any('revoked') ?? this.#any('valid')
    if (key) await this.#check(key)
  }

  /** Uses all keys, when all is calm. */
  async checkAll(): Promise<void> {
    for (const key of this.#keys) {
      const status = await this.#check(key)
      if (key.state === 'valid' && status !== 200)
        this.#world.broke(`a valid key is ${status} when all is calm`)
    }
  }

  async #check(key: KnownKey): Promise<number | undefined> {
    const { state, secret } = key
    const sent = { secret }
    const answer = await this.#world.call('', 'GET', '/api/v1/tasks?limit=1', sent, this.#luck)
    if (answer === null) return undefined
    if (state === 'revoked' && answer.status < 400) this.#world.broke('a revoked key was accepted')
    for (const canary of answer.text.match(/canary-(\w+)-\d+/g) ?? [])
      if (!canary.startsWith(`canary-${this.#account}-`))
        this.#world.broke('a key has opened another account')
    return answer.status
  }

  #below(id: string): readonly KnownKey[] {
    const children = this.#keys.filter(({ maker }) => maker === id)
    return children.flatMap((child) => [child, ...this.#below(child.id)])
  }

  #any(state: KnownKey['state']): KnownKey | null {
    return this.#luck.any(this.#keys.filter((key) => key.state === state))
  }
}
