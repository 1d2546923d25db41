import { createRecords } from '../../../src/features/records.ts'
import type { Luck } from '../luck.ts'
import { pagesOf } from '../sites.ts'
import type { Answer, World } from '../world.ts'
import { Client } from './client.ts'
import type { Person } from './client.ts'

const ALL = 100_000

/** An agent that reads pages, by the endpoint of MCP and by the API. */
export class Agent implements Person {
  readonly account = 'agent'
  readonly #world: World
  readonly #luck: Luck
  readonly #client: Client
  /** Pages whose text it was given. */
  readonly #pages = new Set<string>()

  constructor(world: World, luck: Luck) {
    this.#world = world
    this.#luck = luck
    this.#client = new Client(world, this.account, luck)
  }

  async live(): Promise<void> {
    const { timeline, stretch } = this.#world
    for (;;) {
      await timeline.sleep(this.#luck.int(500, 40_000) * stretch)
      if (this.#world.isCalm) return
      const site = this.#luck.any(this.#world.sites)
      const page = site && this.#luck.any(pagesOf(site))
      if (!page) continue
      const { url, title } = page
      const answer = this.#luck.chance(0.5)
        ? await this.#client.write('POST', '/mcp/agentic-executions', {
            tool: 'fetch',
            arguments: { url },
          })
        : await this.#callTool('fetch', { url })
      if (answer === null || answer.status >= 300 || /"isError":true/.test(answer.text)) continue
      if (!answer.text.includes(title))
        this.#world.broke("an agent's page is not what the site has")
      this.#pages.add(url)
    }
  }

  /** Each page that it was given is paid once at least, and each payment is that of a call. */
  async check(): Promise<void> {
    const records = createRecords(this.#world.store)
    const list = { limit: ALL }
    const calls = await records.agenticCalls.list(this.account, list)
    const entries = await records.ledger.list(this.account, list)
    const paid = entries
      .filter(({ value }) => value.kind === 'fetch')
      .reduce((sum, { value }) => sum + (value.moves.revenue ?? 0), 0)
    const priced = calls.reduce((sum, { value }) => sum + value.credits, 0)
    if (paid !== priced) this.#world.broke("an agent's calls cost other than what was paid")
    if (paid < this.#pages.size) this.#world.broke("an agent's page was not paid")
  }

  #callTool(name: string, args: object): Promise<Answer | null> {
    const params = { name, arguments: args }
    return this.#world.call(
      this.account,
      'POST',
      '/mcp',
      {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        headers: { accept: 'application/json, text/event-stream' },
      },
      this.#luck,
    )
  }
}
