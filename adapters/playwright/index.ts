/** Seine's pages in Chromium, by playwright-core: on Node only. */
export { createPlaywrightBrowser, type PlaywrightBrowserOptions } from './browser.ts'
export type { PlaywrightConnectionOptions } from './connection.ts'
