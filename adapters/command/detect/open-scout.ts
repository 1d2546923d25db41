import { createPlatform } from 'seine'
import type { Platform, PlatformOptions } from 'seine'
import type { Browser } from '../../../src/ports/browser.ts'
import type { PageProcessor } from '../../../src/ports/page-processor.ts'
import { stderrLogger } from '../stderr-logger.ts'

/** The means by which this machine visits pages, in the run and before it. */
export type VisitOptions = Pick<PlatformOptions, 'processor' | 'browser' | 'userAgent'>

/**
 * Opens a platform in memory, for pages that are read and not kept. Its browser and fetcher stay
 * open when it is closed, because they belong to the run.
 */
export function openScout(
  { processor, browser, userAgent }: VisitOptions,
  allowPrivateNetwork: boolean,
): Platform {
  return createPlatform({
    allowPrivateNetwork,
    logger: { ...SILENT, error: stderrLogger().error },
    ...(processor && { processor: keptOpen(processor) }),
    ...(browser && { browser: lent(browser) }),
    ...(userAgent !== undefined && { userAgent }),
  })
}

function keptOpen(processor: PageProcessor): PageProcessor {
  return {
    open: (...recipe) => processor.open(...recipe),
    openPages: (...options) => processor.openPages(...options),
    openRows: (...rows) => processor.openRows(...rows),
    close: async () => undefined,
  }
}

function lent(browser: Browser): Browser {
  return { render: (request) => browser.render(request), close: async () => undefined }
}

/**
 * Warnings are for operators of a platform, so only errors are shown. They contain causes that
 * outcomes of pages do not have.
 */
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
}
