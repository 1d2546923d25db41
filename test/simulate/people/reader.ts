import { createRecords } from '../../../src/features/records.ts'
import type { Row } from '../../../src/kernel/json.ts'
import type { Luck } from '../luck.ts'
import { brandOf, READ_TOKENS } from '../later/services.ts'
import { pagesOf } from '../sites.ts'
import type { World } from '../world.ts'
import { Client } from './client.ts'
import type { Person } from './client.ts'

const ALL = 100_000
const MOST_URLS = 4
const MOST_HITS = 6
/** Other schemes. A page at a private address may be named, but not be visited. */
const NO_PAGE = /javascript:|file:\/\/|ftp:\/\//

/** One whose runs ask a model about pages, and begin with what a search finds. */
export class Reader implements Person {
  readonly account = 'reader'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const { timeline, stretch } = this.#world
    for (;;) {
      await timeline.sleep(this.#luck.int(2_000, 90_000) * stretch)
      if (this.#world.isCalm) return
      if (this.#luck.chance(0.3)) await this.#search()
      else await this.#read()
    }
  }

  async check(): Promise<void> {
    const records = createRecords(this.#world.store)
    const titles = new Map(
      this.#world.sites.flatMap(pagesOf).map(({ url, title }) => [url, title] as const),
    )
    let tokens = 0
    for (const { value } of await records.executions.list(this.account, { limit: ALL })) {
      const visits = await records.visits.list(this.account, { within: [value.id], limit: ALL })
      const fetched = visits.flatMap((visit) =>
        visit.value.outcome === 'fetched' ? [visit.value.url] : [],
      )
      for (const { value: visit } of visits)
        if (!titles.has(visit.url) && visit.outcome === 'fetched')
          this.#world.broke('a page was visited that no search and no recipe has named')
      const answer = await this.#client.send('GET', `/executions/${value.id}/results?limit=100`)
      const rows = rowsIn(answer?.text ?? '')
      const expected = fetched.map((url) => titles.get(url) ?? '').toSorted()
      if (JSON.stringify(rows.map(({ title }) => title).toSorted()) !== JSON.stringify(expected))
        this.#world.broke('a page that a model has read does not give its row once')
      for (const row of rows) this.#checkRow(row)
      const progress = await records.progress.get(this.account, value.id)
      const model = progress?.value.model
      if ((model?.pages ?? 0) > fetched.length)
        this.#world.broke('a model has read more pages than were fetched')
      tokens += model?.inputTokens ?? 0
    }
    if (tokens > this.#world.services.answers * READ_TOKENS)
      this.#world.broke('more tokens are counted than the model has read')
  }

  /** The model may not change values of the page itself, and its own value is a text or nothing. */
  #checkRow({ title, brand }: Row): void {
    const isText = typeof brand === 'string'
    if (brand !== undefined && brand !== null && !isText)
      this.#world.broke('a value of the model is of another type')
    const isHonest = this.#world.hasHonestServices
    if (isHonest && isText && brand !== brandOf(String(title)))
      this.#world.broke("a page has a model's answer about another page")
    if (isText && brand.startsWith('Brand of') && brand !== brandOf(String(title)))
      this.#world.broke("a page has a model's answer about another page")
  }

  async #read(): Promise<void> {
    const site = this.#luck.any(this.#world.sites)
    const pages = site ? pagesOf(site) : []
    const urls = new Set<string>()
    for (let count = this.#luck.int(1, MOST_URLS); count > 0; count--) {
      const page = this.#luck.any(pages)
      if (page) urls.add(page.url)
    }
    if (urls.size > 0) await this.#run({ urls: [...urls] })
  }

  async #search(): Promise<void> {
    const query = `things ${this.#luck.int(1, 9)}`
    if (this.#luck.chance(0.5)) {
      await this.#run({ search: { query, limit: this.#luck.int(1, MOST_HITS) } })
      return
    }
    const call = { tool: 'search', arguments: { query } }
    const answer = await this.#client.write('POST', '/mcp/agentic-executions', call)
    if (answer !== null && NO_PAGE.test(answer.text))
      this.#world.broke('an agent was given an address that is no page')
  }

  async #run(start: object): Promise<void> {
    const fields = { title: 'h1', brand: { model: 'The brand of the product' } }
    const recipe = { start, crawl: { delayMs: 0 }, extract: { fields } }
    await this.#client.write('POST', '/executions', { recipe })
  }
}

function rowsIn(text: string): readonly Row[] {
  const { data }: { data?: { items: readonly Row[] } } = JSON.parse(text)
  return data?.items ?? []
}
