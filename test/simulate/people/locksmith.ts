import { Keyring } from '../keyring.ts'
import type { Luck } from '../luck.ts'
import type { World } from '../world.ts'
import { Client } from './client.ts'
import type { Person } from './client.ts'

const OPERATIONS = { make: 5, revoke: 1, use: 3 } as const

/** One who makes keys by keys, revokes some with all below them, and tries the others. */
export class Locksmith implements Person {
  readonly account = 'locksmith'
  readonly #world: World
  readonly #luck: Luck
  readonly #keys: Keyring

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    const client = new Client(world, this.account, luck)
    this.#keys = new Keyring(world, this.account, luck.fork(), (method, path, body, secret) =>
      client.write(method, path, body, client.newKey(), secret),
    )
  }

  async live(): Promise<void> {
    const { timeline, stretch } = this.#world
    for (;;) {
      await timeline.sleep(this.#luck.int(500, 40_000) * stretch)
      if (this.#world.isCalm) return
      await this.#keys[this.#luck.weighed(OPERATIONS)]()
    }
  }

  check(): Promise<void> {
    return this.#keys.checkAll()
  }
}
