import type { VerifyReport } from 'seine'
import type { Client } from 'seine/client'
import type { FairStage } from '../../support/fair/play-fair-shares.ts'

/** A platform on the current runtime, and the sites that it may crawl. */
export interface Stage {
  /** The URL where it is served, without a slash at the end. */
  readonly url: string
  /** An API key of {@link OWNER} for everything. */
  readonly key: string
  /** The client with that key. */
  readonly client: Client
  /** Origin of the demo shop. */
  readonly shop: string
  /** Origin of a site of endless pages, each of which takes a while. */
  readonly slow: string
  /** Origin of a `startFairSite`. */
  readonly fair: string
  /** With a token instead of the key. */
  clientOf(token: string): Client
  readonly crowd: Crowd
  /** Sends a request to the platform over the network, like a client. */
  send(path: string, init?: RequestInit): Promise<Response>
  /** The result of `platform.verify()`. */
  verify(): Promise<VerifyReport>
}

/** The many executions of one account. */
export interface Crowd {
  readonly executions: number
  /** Starts executions of `CROWD`, without a request for each. */
  readonly startMany: FairStage['startMany']
  /** Places of the worker that a write begins; default: it begins none. */
  readonly morePlaces?: number
}

/** A statement that holds on every runtime, or on every stage of another kind. */
export interface Case<On = Stage> {
  readonly name: string
  /** Rejects if it does not hold. The texts that it returns are the same on every runtime. */
  run(stage: On): Promise<Readonly<Record<string, string>> | void>
}

/** The result of a {@link Case}. */
export interface Outcome {
  readonly name: string
  readonly error: string | null
  readonly ms: number
  /** Texts that must be the same on every runtime. */
  readonly same: Readonly<Record<string, string>>
}

/** A case that takes longer waits for what does not come. Each takes some seconds. */
const MOST_MS = 240_000

/** Runs cases one after the other. */
export async function runCases<On>(cases: readonly Case<On>[], stage: On): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { name, run } of cases) {
    const began = performance.now()
    try {
      const same = (await endsInTime(run(stage))) ?? {}
      outcomes.push({ name, error: null, ms: performance.now() - began, same })
    } catch (error) {
      outcomes.push({
        name,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        ms: performance.now() - began,
        same: {},
      })
    }
  }
  return outcomes
}

async function endsInTime<T>(running: Promise<T>): Promise<T> {
  const { promise: isLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`It did not end in ${MOST_MS} ms`)), MOST_MS)
  try {
    return await Promise.race([running, isLate])
  } finally {
    clearTimeout(timer)
  }
}
