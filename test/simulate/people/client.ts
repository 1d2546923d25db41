import type { Luck } from '../luck.ts'
import { withoutIds } from '../without-ids.ts'
import type { Answer, World } from '../world.ts'

/** One who lives in some worlds beside their customers, with an account of its own. */
export interface Person {
  readonly account: string
  /** Does things until the world is calm. */
  live(): Promise<void>
  /** Checks what it was promised, when all is calm and all work has ended. */
  check(): Promise<void>
}

/** The calls of a person to its account. */
export class Client {
  readonly canary: string
  readonly #world: World
  readonly #account: string
  readonly #luck: Luck
  #count = 0

  constructor(world: World, account: string, luck: Luck) {
    this.#world = world
    this.#account = account
    this.#luck = luck
    this.canary = `canary-${account}-${luck.int(1e8, 1e9)}`
  }

  newKey(): string {
    return `${this.#account}-${++this.#count}`
  }

  /** Calls once. `null`: there was no answer in time. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
    secret?: string,
  ): Promise<Answer | null> {
    const world = this.#world
    const sent = {
      ...(body !== undefined && { body }),
      ...(key !== undefined && { key }),
      ...(secret !== undefined && { secret }),
    }
    const answer = await world.call(this.#account, method, `/api/v1${path}`, sent, this.#luck)
    if (answer === null) return null
    for (const canary of answer.text.match(/canary-\w+-\d+/g) ?? [])
      if (canary !== this.canary) world.broke(`an account was shown ${canary}`)
    const { failed, lost, away } = world.ground.faults
    // A full disk is 503 with a reason; other faults are errors that nobody can foresee.
    if (answer.status === 500 && failed + lost + away === 0)
      world.broke(`${method} ${withoutIds(path)} is 500: ${answer.text}`)
    return answer
  }

  /** Calls with one key until the outcome is known. `null`: it never was. */
  async write(
    method: string,
    path: string,
    body?: unknown,
    key = this.newKey(),
    secret?: string,
  ): Promise<Answer | null> {
    const send = () => this.send(method, path, body, key, secret)
    const answer = await this.#world.untilKnown(send, this.#luck)
    const outcome = answer?.status ?? 'has no known outcome'
    this.#world.tell(`${this.#account}: ${method} ${path} ${outcome}`)
    return answer
  }
}

/** The id in an answer to a call that has made something. `null`: it has made nothing. */
export function madeBy(answer: Answer | null): string | null {
  if (answer === null || answer.status >= 300) return null
  return /"id":"([^"]+)"/.exec(answer.text)?.[1] ?? null
}
