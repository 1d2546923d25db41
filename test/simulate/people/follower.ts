import { isFinal } from '../../../src/features/executions/lifecycle.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Luck } from '../luck.ts'
import { drawReading } from '../sites.ts'
import type { World } from '../world.ts'
import { Client, madeBy } from './client.ts'
import type { Person } from './client.ts'

const ALL = 100_000
/** How long it waits for the next part of a stream, in ms. */
const PATIENCE_MS = 60_000
/** The number of streams of one execution, one after the other. */
const MOST_STREAMS = 20

/** The events of an execution that its streams have sent. */
interface Followed {
  /** The id of the last event. */
  last: string
  readonly pages: string[]
  readonly ends: string[]
  hasGap: boolean
}

/** One who follows its executions by streams of events, which break off and are opened again. */
export class Follower implements Person {
  readonly account = 'follower'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client
  readonly #followed = new Map<string, Followed>()

  #isChecking = false

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const { timeline, stretch } = this.#world
    for (;;) {
      await timeline.sleep(this.#luck.int(500, 60_000) * stretch)
      const site = this.#luck.any(this.#world.sites)
      if (this.#world.isCalm || !site) return
      const { recipe } = drawReading(this.#luck, site)
      const id = madeBy(await this.#client.write('POST', '/executions', { recipe }))
      if (id !== null) await this.#follow(id)
    }
  }

  /** Each end was told once, and no page twice; none is left out unless a stream has said so. */
  async check(): Promise<void> {
    const world = this.#world
    this.#isChecking = true
    const records = createRecords(world.store)
    for (const [id, followed] of this.#followed) {
      await this.#follow(id)
      const { pages, ends, hasGap } = followed
      const execution = await records.executions.get(this.account, id)
      if (!execution || !isFinal(execution.value.status)) continue
      if (ends.length !== 1) world.broke(`a stream has told ${ends.length} ends of an execution`)
      if (ends.some((status) => status !== execution.value.status))
        world.broke('a stream has told another end')
      if (new Set(pages).size < pages.length) world.broke('a stream has told a page twice')
      const visits = await records.visits.list(this.account, { within: [id], limit: ALL })
      const visited = new Set(visits.map(({ value }) => value.url))
      if (pages.some((url) => !visited.has(url)))
        world.broke('a stream has told a page that the receipt lacks')
      if (!hasGap && pages.length < visited.size) world.broke('a stream has left out a page')
    }
  }

  /** Opens streams until one has told the end, or there were too many. */
  async #follow(id: string): Promise<void> {
    const followed = this.#followed.get(id) ?? { last: '0', pages: [], ends: [], hasGap: false }
    this.#followed.set(id, followed)
    for (let count = 0; count < MOST_STREAMS; count++) {
      // Nothing works until the people rest: streams would only wait.
      if (this.#world.isBrief && this.#world.isCalm && !this.#isChecking) return
      const isOver = await this.#read(id, followed)
      // A client that has the end opens one more, and is told to stay away.
      if (isOver) return
      await this.#world.timeline.sleep(this.#luck.int(100, 10_000))
    }
  }

  /** Reads one stream. True if it says that nothing more will come. */
  async #read(id: string, followed: Followed): Promise<boolean> {
    const alive = this.#world.processes.flatMap(({ platform }) => (platform ? [platform] : []))
    const platform = this.#luck.any(alive)
    if (!platform) return false
    const over = new AbortController()
    const headers = { 'x-account': this.account, 'last-event-id': followed.last }
    const url = `http://seine.test/api/v1/executions/${id}/events`
    const response = await this.#inTime(
      platform.fetch(new Request(url, { headers, signal: over.signal })),
    )
    if (response?.status === 204) return true
    if (response?.status !== 200 || !response.body) return false
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    // It leaves some streams in their midst.
    for (let parts = this.#luck.pick([1, 3, 1_000]); parts > 0; parts--) {
      const part = await this.#inTime(reader.read())
      if (!part || part.done) break
      const events = (rest + part.value).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) note(event, followed)
    }
    over.abort()
    reader.cancel().catch(() => undefined)
    return false
  }

  /** `null`: it failed, or took too long. */
  async #inTime<T>(promise: Promise<T>): Promise<T | null> {
    const over = new AbortController()
    const late = this.#world.timeline.sleep(PATIENCE_MS, over.signal).catch(() => undefined)
    const result = await Promise.race([promise.catch(() => null), late.then(() => null)])
    over.abort()
    return result
  }
}

function note(text: string, followed: Followed): void {
  const id = /^id: (.*)$/m.exec(text)?.[1]
  if (id !== undefined) followed.last = id
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? ''
  const kind = /^event: (.*)$/m.exec(text)?.[1]
  if (kind === 'gap') followed.hasGap = true
  if (kind === 'page') followed.pages.push(/"url":"([^"]*)"/.exec(data)?.[1] ?? '')
  if (kind === 'end') followed.ends.push(/"status":"([^"]*)"/.exec(data)?.[1] ?? '')
}
