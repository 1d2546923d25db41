import {
  checkOptions,
  flag,
  group,
  listOf,
  nonEmpty,
  plainText,
  whole,
} from '../../src/kernel/options.ts'
import { RenderFailure } from '../../src/kernel/failures.ts'
import { Semaphore } from '../../src/kernel/concurrency.ts'
import type { Browser } from '../../src/ports/browser.ts'
import { BrowserConnection } from './connection.ts'
import type { PlaywrightConnectionOptions } from './connection.ts'
import { renderPage } from './render-page.ts'

/** The browser to use, and its limits. */
export interface PlaywrightBrowserOptions extends PlaywrightConnectionOptions {
  /** Maximum number of concurrent pages. Others wait for their turn. Default 4. */
  readonly concurrency?: number
}

/**
 * A {@link Browser} on Chromium, driven by the peer dependency `playwright-core`, which includes no
 * browser. It is started for the first page, and restarted after a crash. Every page has its own
 * context. The platform answers all requests of pages; the browser itself has no network access:
 * its proxy does not exist, and no name can be resolved.
 *
 * @example
 *   const browser = createPlaywrightBrowser({ executablePath: '/usr/bin/chromium' })
 *   const platform = createPlatform({ browser })
 */
export function createPlaywrightBrowser(options: PlaywrightBrowserOptions = {}): Browser {
  checkOptions<PlaywrightBrowserOptions>('createPlaywrightBrowser', options, {
    concurrency: whole(1),
    executablePath: nonEmpty,
    launch: group<NonNullable<PlaywrightBrowserOptions['launch']>>({
      args: listOf(plainText),
      sandbox: flag,
    }),
    cdpUrl: nonEmpty,
  })
  const { concurrency = 4, ...connecting } = options
  const connection = new BrowserConnection(connecting)
  const semaphore = new Semaphore(concurrency)
  return {
    render(request) {
      const { signal } = request
      return semaphore.run(async () => {
        try {
          signal.throwIfAborted()
          return await renderPage(connection, request)
        } catch (error) {
          signal.throwIfAborted()
          throw error instanceof RenderFailure
            ? error
            : new RenderFailure('unavailable', 'The browser could not render the page', {
                cause: error,
              })
        }
      }, signal)
    },
    close: () => connection.close(),
  }
}
