import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ShopRow } from './shop.ts'

/** The counters of the site since the last reset. */
export interface SiteStats {
  readonly requests: number
  readonly missing: number
  readonly bytes: number
  readonly connections: number
  readonly maxInFlight: number
  /** Different paths asked for. */
  readonly unique: number
  readonly cpuSeconds: number
}

/** A running `site.ts`. */
export interface Site {
  readonly origin: string
  /** Pages that a right crawl of it visits. */
  readonly crawlPages: number
  expected(): Promise<ShopRow[]>
  /** Asks for every page once, so that no contender pays for the site's own start. */
  warm(): Promise<void>
  reset(): Promise<void>
  stats(): Promise<SiteStats>
  stop(): void
}

export interface SiteOptions {
  readonly products: number
  readonly seed: string
  readonly latencyMs: number
}

/**
 * Starts the site in its own process; resolves when every page is rendered. The process ends with
 * this one.
 */
export async function startSite({ products, seed, latencyMs }: SiteOptions): Promise<Site> {
  const args = ['--products', String(products), '--seed', seed, '--latency', String(latencyMs)]
  const child = fork(fileURLToPath(new URL('./site.ts', import.meta.url)), args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (!child.stdout) throw new Error('The site has no output to read its address from')
  const lines = createInterface({ input: child.stdout })
  const line = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The site ended with ${code}`))),
  ])
  const { origin, crawlPages }: { origin: string; crawlPages: number } = JSON.parse(String(line[0]))
  const ask = async (path: string) => (await fetch(origin + path)).text()
  return {
    origin,
    crawlPages,
    async expected() {
      return (await ask('/__expected.jsonl'))
        .trimEnd()
        .split('\n')
        .map((row) => JSON.parse(row))
    },
    async warm() {
      const paths: string[] = JSON.parse(await ask('/__paths.json'))
      const loop = async () => {
        for (let path = paths.pop(); path !== undefined; path = paths.pop()) await ask(path)
      }
      await Promise.all(Array.from({ length: 32 }, loop))
    },
    async reset() {
      await ask('/__reset')
    },
    async stats() {
      return JSON.parse(await ask('/__stats'))
    },
    stop: () => void child.kill(),
  }
}
