import {
  anything,
  checkOptions,
  flag,
  group,
  listOf,
  nonEmpty,
  plainText,
} from '../../src/kernel/options.ts'
import { RenderFailure } from '../../src/kernel/failures.ts'
import type { Browser } from '../../src/ports/browser.ts'
import { Connection } from './connection.ts'
import type { PlaywrightConnectionOptions } from './connection.ts'
import { renderPage } from './render-page.ts'
import { Places } from './places.ts'

/** Which browser, and how much of it. */
export interface PlaywrightBrowserOptions extends PlaywrightConnectionOptions {
  /** Pages at the same time; others wait for their turn. Default 4. */
  readonly concurrency?: number
}

/**
 * A {@link Browser} on Chromium, driven by the peer dependency `playwright-core`, which brings no
 * browser of its own. It is started when the first page asks for it, and again after it died. Every
 * page is in a context of its own. All that pages ask for is answered by the platform; the browser
 * itself has no way to any network: its proxy and all names lead nowhere.
 *
 * @example
 *   const browser = createPlaywrightBrowser({ executablePath: '/usr/bin/chromium' })
 *   const platform = createPlatform({ browser })
 */
export function createPlaywrightBrowser(options: PlaywrightBrowserOptions = {}): Browser {
  checkOptions<PlaywrightBrowserOptions>('createPlaywrightBrowser', options, {
    concurrency: anything,
    executablePath: nonEmpty,
    launch: group<NonNullable<PlaywrightBrowserOptions['launch']>>({
      args: listOf(plainText),
      sandbox: flag,
    }),
    cdpUrl: nonEmpty,
  })
  const { concurrency = 4, ...connecting } = options
  if (!(Number.isSafeInteger(concurrency) && concurrency >= 1))
    throw new RangeError('concurrency must be a whole number from 1')
  const connection = new Connection(connecting)
  const places = new Places(concurrency)
  return {
    async render(request) {
      const { signal } = request
      await places.take(signal)
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
      } finally {
        places.give()
      }
    },
    close: () => connection.close(),
  }
}
