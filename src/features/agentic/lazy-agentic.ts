import { once } from '../../kernel/concurrency.ts'
import type { Agentic } from './service.ts'

/**
 * Loads the service of agents' tools on its first call, because applications without agents do not
 * need it.
 */
export function createLazyAgentic(load: () => Promise<Agentic>): Agentic {
  const loaded = once(load)
  return {
    tools: async (...given) => (await loaded()).tools(...given),
    call: async (...given) => (await loaded()).call(...given),
    get: async (...given) => (await loaded()).get(...given),
  }
}
