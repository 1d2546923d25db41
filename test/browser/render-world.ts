import { createPlaywrightBrowser } from '../../adapters/playwright/browser.ts'
import type { PlaywrightBrowserOptions } from '../../adapters/playwright/browser.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import type { Execution } from '../../src/features/executions/execution.ts'
import type { Json, Row } from '../../src/kernel/json.ts'
import type { RecipeInput } from '../../src/engine/recipe/recipe-input.ts'
import type { Principal } from '../../src/kernel/http/route.ts'
import type { Platform, PlatformOptions } from '../../src/platform/options.ts'

/** Part of a recipe. */
export interface JsonObject {
  readonly [name: string]: Json
}

/** The caller. */
export const OWNER: Principal = { account: 'acme', user: 'ann', scopes: ['*'] }

const silent = { debug() {}, info() {}, warn() {}, error() {} }
/** As chromium.ts has it; tests run as root in containers, where Chromium's sandbox does not start. */
const BROWSER: PlaywrightBrowserOptions = {
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  launch: { sandbox: false, args: ['--disable-gpu'] },
}

/** A browser, made as a host makes one, on the Chromium of these tests. */
export const browserOf = (options: PlaywrightBrowserOptions = {}) =>
  createPlaywrightBrowser({
    ...BROWSER,
    ...options,
    launch: { ...BROWSER.launch, ...options.launch },
  })

/** A platform with that browser, in memory. */
export const platformOf = (options: PlatformOptions): Platform =>
  createPlatform({ logger: silent, rateLimits: false, ...options })

/** The result of a recipe. */
export interface Ran {
  readonly execution: Execution
  readonly rows: readonly Row[]
  readonly pages: readonly {
    readonly url: string
    readonly finalUrl: string | null
    readonly outcome: string
    readonly code: string | null
    readonly message: string | null
    readonly credits: number
    readonly bytes: number
  }[]
}

/** Runs a recipe to its end. */
export async function run(
  platform: Platform,
  recipe: RecipeInput,
  signal?: AbortSignal,
): Promise<Ran> {
  const task = await platform.api.tasks.create(OWNER, { name: 'test', recipe })
  const { id } = await platform.api.executions.start(OWNER, task.id)
  await platform.worker.tick(signal ? { signal } : {})
  const pages = await platform.api.executions.pages(OWNER, id, { limit: 100 })
  return {
    execution: await platform.api.executions.get(OWNER, id),
    rows: (await platform.api.results.list(OWNER, id, { limit: 100 })).items,
    pages: pages.items.map(({ url, finalUrl, outcome, reason, credits, bytes }) => ({
      url,
      finalUrl,
      outcome,
      code: reason?.code ?? null,
      message: reason?.message ?? null,
      credits,
      bytes,
    })),
  }
}
