import { once } from '../../kernel/concurrency.ts'
import type { Agentic } from './service.ts'

/** The service of agents' tools, loaded with its first call: hosts without agents need none of it. */
export function createLazyAgentic(load: () => Promise<Agentic>): Agentic {
  const loaded = once(load)
  return {
    tools: async (...given) => (await loaded()).tools(...given),
    call: async (...given) => (await loaded()).call(...given),
    read: async (...given) => (await loaded()).read(...given),
  }
}
