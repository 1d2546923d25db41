import type { TestProject } from 'vitest/node'
import { startRedis } from './start.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The port of the Redis of the run, on 127.0.0.1. */
    redisPort: number
  }
}

/** One Redis for a run; a run whose Redis does not start fails. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startRedis()
  project.provide('redisPort', server.port)
  return () => server.stop()
}
