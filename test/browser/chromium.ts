import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

const PATH = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A page of a new browser, with all its requests and errors. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Addresses of all requests, `data:` apart. */
  readonly requests: string[]
  readonly complaints: string[]
  close(): Promise<void>
}

/** Opens Chromium, of the system's packages, with a profile that is thrown away. */
export async function openChromium(options: BrowserContextOptions = {}): Promise<Visit> {
  if (!existsSync(PATH))
    throw new Error(`There is no ${PATH}: install Debian's package chromium, or set CHROMIUM`)
  const profile = await mkdtemp(join(tmpdir(), 'seine-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: PATH,
    args: FLAGS,
    headless: true,
    ...options,
  })
  const page = context.pages()[0] ?? (await context.newPage())
  const requests: string[] = []
  const complaints: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(request.url())
  })
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return {
    page,
    context,
    requests,
    complaints,
    async close() {
      await context.close()
      await rm(profile, { recursive: true, force: true })
    },
  }
}
