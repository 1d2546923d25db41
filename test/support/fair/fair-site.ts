import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'

/** A site whose pages take as long as a scenario wants, because it answers them when it is told. */
export interface FairSite {
  readonly url: string
  /** Pages of the busy account before the other's page, of each scenario that was played here. */
  readonly counts: readonly number[]
  close(): Promise<void>
}

/** When the site stops to wait for what never comes, and lets all pages through to count them. */
const PATIENCE_MS = 60_000
/** Counts no further than this: then the other's page comes too late, however late it is. */
const MOST_COUNTED = 100
/** Keeps a request from a timeout for silence while its page is held. */
const SIGN_OF_LIFE_MS = 1_000

const HEAD = '<!doctype html><title>Held</title>'
const PAGE = '<h1>Here</h1>'

/**
 * Serves pages of the busy account at `/a/<n>` and the page of the other at `/b`, and counts those
 * of `a`. It keeps no time: how long a page takes is said by calls of `/gate/<order>`.
 */
export async function startFairSite(): Promise<FairSite> {
  const gate = new Gate()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site.example.com')
    const [, place, order = ''] = pathname.split('/')
    if (place === 'a') gate.ask(response)
    else if (place === 'b') gate.askOther(response)
    else if (place === 'gate')
      void gate
        .obey(order, (name) => Number(searchParams.get(name)))
        // A connection that lay idle may be closed when the next order comes.
        .then(
          (answer) => response.writeHead(200, { connection: 'close' }).end(JSON.stringify(answer)),
          (error: unknown) => response.writeHead(400, { connection: 'close' }).end(String(error)),
        )
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It has no TCP address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    counts: gate.counts,
    async close() {
      gate.open()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Pages that wait for their answer, and what was asked for so far. */
class Gate {
  readonly counts: number[] = []
  readonly #held = new Map<ServerResponse, NodeJS.Timeout>()
  readonly #waits = new Set<() => void>()
  /** Pages that are still answered at once. */
  #free = Infinity
  /** Pages of the busy account. */
  #asked = 0
  /** The same when the other account's start was acknowledged. */
  #askedBefore = 0
  /** The same when the other account's page was asked for; `null`: it was not yet. */
  #askedAtOther: number | null = null

  ask(response: ServerResponse): void {
    this.#asked++
    response.writeHead(200, { 'content-type': 'text/html' }).write(HEAD)
    if (this.#free > 0) {
      this.#free--
      response.end(PAGE)
    } else {
      const sign = setInterval(() => response.write(' '), SIGN_OF_LIFE_MS)
      this.#held.set(response, sign)
      response.once('close', () => {
        clearInterval(sign)
        this.#held.delete(response)
      })
    }
    this.#look()
  }

  askOther(response: ServerResponse): void {
    this.#askedAtOther ??= this.#asked
    response.writeHead(200, { 'content-type': 'text/html' }).end(HEAD + PAGE)
    this.#look()
  }

  async obey(order: string, numberOf: (name: string) => number): Promise<number | null> {
    switch (order) {
      // Every page is held from now on.
      case 'hold':
        this.#free = 0
        this.#askedAtOther = null
        return null
      // Lets so many pages through; done when each place has a page that is held.
      case 'fill': {
        const enough = this.#asked + numberOf('pages')
        this.#free = numberOf('pages')
        this.#answerHeld()
        return this.#until(() => this.#asked >= enough && this.#held.size >= numberOf('places'))
      }
      // The page that each place is at ends now, and the next one of each place is held.
      case 'started':
        this.#askedBefore = this.#asked
        this.#answerHeld()
        return null
      // Done when the other account's page was asked for, or comes too late.
      case 'first': {
        let isOver = false
        const impatience = setTimeout(() => this.open(), PATIENCE_MS)
        // Nobody works any more, so that nothing is left to count.
        const end = setTimeout(() => {
          isOver = true
          this.#look()
        }, 2 * PATIENCE_MS)
        // Nothing is before a page that came before the acknowledgement itself.
        const count = (): number =>
          Math.max(0, (this.#askedAtOther ?? this.#asked) - this.#askedBefore)
        await this.#until(() => this.#askedAtOther !== null || count() >= MOST_COUNTED || isOver)
        clearTimeout(impatience)
        clearTimeout(end)
        const before = isOver ? MOST_COUNTED : count()
        this.counts.push(before)
        return before
      }
      // No page is held any more; done when so many more were asked for.
      case 'open': {
        const enough = this.#asked + numberOf('pages')
        this.open()
        return this.#until(() => this.#asked >= enough)
      }
      default:
        throw new Error(`There is no order ${order}`)
    }
  }

  open(): void {
    this.#free = Infinity
    this.#answerHeld()
  }

  #answerHeld(): void {
    for (const [response, sign] of this.#held) {
      clearInterval(sign)
      response.end(PAGE)
    }
    this.#held.clear()
  }

  async #until(holds: () => boolean): Promise<null> {
    while (!holds()) await new Promise<void>((resolve) => this.#waits.add(resolve))
    return null
  }

  #look(): void {
    for (const wake of this.#waits) wake()
    this.#waits.clear()
  }
}
