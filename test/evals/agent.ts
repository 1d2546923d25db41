import { setImmediate as turn } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { isObject } from '../../src/kernel/json.ts'
import { createWorld } from '../support/worlds/world.ts'
import type { World } from '../support/worlds/world.ts'
import { connect, keyOf } from '../mcp/mcp-world.ts'
import { offered } from './offered.ts'
import type { Web } from './sites.ts'

export type Data = { readonly [name: string]: unknown }

/** The text that a model would see of a result, and its data. */
export interface ToolAnswer {
  readonly isError: boolean
  readonly text: string
  readonly data: Data
}

/** The tools as an agent uses them. */
export interface Agent {
  /** Calls a tool. An error is an answer as well: agents read it. */
  call(tool: string, args: object): Promise<ToolAnswer>
  /** Lets a day pass, with all that is scheduled in it. */
  dayPasses(): Promise<void>
}

/** The cost of an agent: characters that a model would read and write. */
export interface Usage {
  calls: number
  sent: number
  read: number
  /** Names, descriptions and input schemas of the tools that were offered. */
  offered: number
}

/** The six tools, with a key for agents; or all, with a key that may also save and schedule. */
export type Toolset = 'six' | 'extended'

/** Opens the endpoint on a web of its own, and connects the official client to it. */
export async function openAgent(
  web: Web,
  tools: Toolset,
): Promise<{ readonly agent: Agent; readonly usage: Usage; close(): Promise<void> }> {
  const world = createWorld(web, {
    ...(tools === 'extended' && { mount: { mcp: { tools: 'extended' } } }),
  })
  const key = await keyOf(world, tools === 'extended' ? ['*'] : ['mcp:*'])
  const client = await connect(async (request) => world.platform.fetch(request), key)
  const listed = await client.listTools()
  const usage: Usage = { calls: 0, sent: 0, read: 0, offered: offered(listed.tools) }
  return {
    usage,
    agent: {
      async call(name, args) {
        const { content, structuredContent, isError } = await called(world, client, name, args)
        const text = partsOf(content)
        usage.calls += 1
        usage.sent += name.length + JSON.stringify(args).length
        usage.read += text.length
        const data = isObject(structuredContent) ? structuredContent : {}
        return { isError: isError === true, text, data }
      },
      async dayPasses() {
        await world.clock.advance(24 * 3_600_000)
        await world.work()
      },
    },
    async close() {
      await client.close()
      await world.platform.close()
    },
  }
}

/** Calls a tool while the platform works. */
async function called(world: World, client: Client, name: string, args: object) {
  const answer = client.callTool({ name, arguments: { ...args } })
  const answered = new AbortController()
  const end = (): void => answered.abort()
  const ended = answer.then(end, end)
  const work = async (): Promise<void> => {
    while (!answered.signal.aborted) {
      await world.platform.worker.tick()
      await turn()
    }
  }
  await world.clock.runUntil(Promise.all([ended, work()]))
  return answer
}

/** The parts of a result as a model gets them: texts as they are, links as JSON. */
function partsOf(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : []
  return parts
    .map((part) =>
      isObject(part) && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part),
    )
    .join('\n')
}
