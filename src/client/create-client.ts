import { createCall } from './call.ts'
import { withFollow } from './follow.ts'
import type { ExecutionsClient } from './follow.ts'
import type { Resources } from './operations.ts'
import type { ClientOptions } from './options.ts'
import { createResources } from './resources.ts'
import { createSend } from './send.ts'
import { webClock } from './web-defaults.ts'

/**
 * The service's operations by resource, as `platform.api` has them in process. Every call takes an
 * optional signal.
 */
export interface Client extends Omit<Resources, 'executions'> {
  readonly executions: ExecutionsClient
}

/**
 * A client of a Seine service. Safe calls, and writes with an `Idempotency-Key`, are retried: after
 * a network error, on 429 after the time that the service asks for, and on 502, 503 and 504 after
 * growing random waits.
 *
 * @example
 *   const client = createClient({ baseUrl: 'https://data.example', apiKey: 'svc_sk_…' })
 *   const task = await client.tasks.create({
 *     recipe: {
 *       start: { urls: ['https://shop.example/'] },
 *       extract: { items: '.card', fields: { name: 'h2' } },
 *     },
 *   })
 *   const execution = await client.executions.start(task.id)
 *   const { status } = await client.executions.wait(execution.id)
 *   if (status === 'succeeded')
 *     for await (const row of client.results.iterate(execution.id)) console.log(row)
 *
 * @throws {TypeError} for two credentials
 */
export function createClient(options: ClientOptions): Client {
  const call = createCall(createSend(options))
  const resources = createResources(call)
  return {
    ...resources,
    executions: withFollow(resources.executions, call, options.clock ?? webClock),
  }
}
