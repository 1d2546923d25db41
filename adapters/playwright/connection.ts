import type { Browser } from 'playwright-core'
import { RenderFailure } from '../../src/kernel/failures.ts'
import { findChromium } from './find-chromium.ts'

/** The browser to use. */
export interface PlaywrightConnectionOptions {
  /**
   * Path of a Chromium or Chrome. Default: the one that playwright-core has installed, else the
   * first on the `PATH`.
   */
  readonly executablePath?: string
  /** Options for starting the browser. */
  readonly launch?: {
    /** Further arguments. */
    readonly args?: readonly string[]
    /**
     * Whether Chromium runs in its sandbox. Pages are untrusted code: leave it on, unless the
     * container forbids it and is itself a sandbox. Default `true`.
     */
    readonly sandbox?: boolean
  }
  /**
   * A browser that runs elsewhere, by the URL of its DevTools, instead of one that is started here.
   * Its contexts get a proxy that leads nowhere. Make sure that its machine cannot reach a private
   * network.
   */
  readonly cdpUrl?: string
}

/**
 * A proxy that does not exist, even for loopback. Requests that the platform does not serve fail
 * here.
 */
export const NOWHERE = { server: 'http://nowhere.invalid:9', bypass: '<-loopback>' }

/**
 * With these flags no name can be resolved, WebRTC cannot bypass the proxy, and Chromium sends no
 * requests of its own.
 */
const WALLS = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--no-pings',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  '--disable-breakpad',
]

/** Matches Playwright's message for a browser that is not installed. */
const MISSING = /Executable doesn't exist|ENOENT/i

/**
 * Tells an operator what to do about a browser that does not start. Recognises the cause by
 * Playwright's message.
 */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /Cannot find (?:package|module) 'playwright-core'/,
    'playwright-core is not installed: npm install playwright-core, in the folder that has seine',
  ],
  [
    MISSING,
    'There is no Chromium: npx playwright-core install chromium, or name one by executablePath (of ' +
      'the command: --browser)',
  ],
  [
    /sandbox/i,
    "The browser's sandbox does not work for this user, often root: run as another user, or in a " +
      'container set launch.sandbox to false (of the command: --no-browser-sandbox)',
  ],
]

/** The error of a browser that did not start, with the remedy if it is known. */
export function explained(error: unknown): unknown {
  const text = error instanceof Error ? error.message : String(error)
  const [, remedy] = REMEDIES.find(([pattern]) => pattern.test(text)) ?? []
  return remedy === undefined ? error : new Error(remedy, { cause: error })
}

/** One browser, started when it is first needed and again after it died. */
export class BrowserConnection {
  readonly #options: PlaywrightConnectionOptions
  #opening: Promise<Browser> | null = null
  #closed = false

  constructor(options: PlaywrightConnectionOptions) {
    this.#options = options
  }

  /** @throws {RenderFailure} `unavailable` */
  async open(): Promise<Browser> {
    if (this.#closed) throw new RenderFailure('unavailable', 'The browser was closed')
    const opening = (this.#opening ??= this.#start())
    try {
      const browser = await opening
      if (browser.isConnected()) return browser
    } catch (error) {
      this.#forget(opening)
      throw new RenderFailure('unavailable', 'The browser could not be started', {
        cause: explained(error),
      })
    }
    this.#forget(opening)
    return this.open()
  }

  /** Ends a browser that no longer responds. */
  async restart(browser: Browser): Promise<void> {
    if ((await this.#opening?.catch(() => null)) === browser) this.#opening = null
    await browser.close().catch(() => {})
  }

  async close(): Promise<void> {
    this.#closed = true
    const opening = this.#opening
    this.#opening = null
    const browser = await opening?.catch(() => null)
    await browser?.close()
  }

  #forget(opening: Promise<Browser>): void {
    if (this.#opening === opening) this.#opening = null
  }

  async #start(): Promise<Browser> {
    const { chromium } = await import('playwright-core')
    const { cdpUrl, executablePath, launch = {} } = this.#options
    if (cdpUrl !== undefined) return chromium.connectOverCDP(cdpUrl)
    const options = {
      args: [...WALLS, ...(launch.args ?? [])],
      chromiumSandbox: launch.sandbox ?? true,
      proxy: NOWHERE,
      // Signals are handled by the application.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    }
    try {
      return await chromium.launch({
        ...options,
        ...(executablePath !== undefined && { executablePath }),
      })
    } catch (error) {
      const itsOwn = executablePath === undefined && MISSING.test(String(error))
      const installed = itsOwn ? findChromium(process.env['PATH'] ?? '') : null
      if (installed === null) throw error
      return chromium.launch({ ...options, executablePath: installed })
    }
  }
}
