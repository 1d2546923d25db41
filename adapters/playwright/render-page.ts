import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { RenderFailure } from '../../src/kernel/failures.ts'
import type { RenderedPage, RenderRequest } from '../../src/ports/browser.ts'
import { NOWHERE } from './connection.ts'
import type { BrowserConnection } from './connection.ts'
import { runActions } from './run-actions.ts'
import { Traffic } from './traffic.ts'

/** A page is quiet after this time without a request. */
const QUIET_MS = 500
/**
 * If a page has no pending requests and is not loaded after this time, it will not be loaded any
 * more.
 */
const STUCK_MS = 1_500
/** Longest wait for that; never more than half of the page's time. */
const REST_MS = 10_000
/** If a context has not ended by then, its browser is ended with it. */
const END_MS = 5_000
/** Chromium's maximum size of a picture. */
const MAX_HEIGHT = 16_384
const CONTENT_TRIES = 3
/** Longest wait for a screenshot that a page can do without. */
const PICTURE_MS = 2_000

/** Renders one page in its own context, which is closed in any case. */
export async function renderPage(
  connection: BrowserConnection,
  request: RenderRequest,
): Promise<RenderedPage> {
  const { signal, timeoutMs } = request
  const { promise: ended, reject: end } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => end(new RenderFailure('timeout', `The page was not ready within ${timeoutMs} ms`)),
    timeoutMs,
  )
  const stop = (): void => end(signal.reason)
  const died = (): void => end(new RenderFailure('crashed', 'The browser died'))
  signal.addEventListener('abort', stop, { once: true })
  const opening = open(connection, request)
  const ready: RenderedPage[] = []
  const work = async (): Promise<RenderedPage> => {
    const { browser, context } = await opening
    browser.once('disconnected', died)
    return read(context, request, end, ready)
  }
  try {
    return await Promise.race([work(), ended])
  } catch (error) {
    const [page] = ready
    if (page === undefined || signal.aborted) throw error
    return page
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    ended.catch(() => {})
    await shut(opening, connection, died)
  }
}

interface Opened {
  readonly browser: Browser
  readonly context: BrowserContext
}

async function open(
  connection: BrowserConnection,
  { userAgent, viewport }: RenderRequest,
): Promise<Opened> {
  const browser = await connection.open()
  const context = await browser.newContext({
    userAgent,
    viewport,
    proxy: NOWHERE,
    serviceWorkers: 'block',
    acceptDownloads: false,
    permissions: [],
  })
  // No separate limit applies, because the page as a whole has one.
  context.setDefaultTimeout(0)
  return { browser, context }
}

async function shut(
  opening: Promise<Opened>,
  connection: BrowserConnection,
  died: () => void,
): Promise<void> {
  const opened = await opening.catch(() => null)
  if (opened === null) return
  opened.browser.off('disconnected', died)
  const waiting = new AbortController()
  const isShut = await Promise.race([
    opened.context.close().then(
      () => true,
      () => !opened.browser.isConnected(),
    ),
    pause(END_MS, false, { signal: waiting.signal }).catch(() => true),
  ])
  waiting.abort()
  if (!isShut) await connection.restart(opened.browser)
}

/** `ready` is called with the page as soon as it is read, if its screenshot is optional. */
async function read(
  context: BrowserContext,
  request: RenderRequest,
  end: (reason: RenderFailure) => void,
  ready: RenderedPage[],
): Promise<RenderedPage> {
  const restMs = Math.min(REST_MS, request.timeoutMs / 2)
  const traffic = new Traffic(context, request.answer)
  await traffic.open()
  const page = await context.newPage()
  page.on('crash', () => end(new RenderFailure('crashed', 'The page made the browser crash')))
  // Windows that a page opens are closed.
  context.on('page', (other) => void other.close().catch(() => {}))
  try {
    await page.goto(request.url, { waitUntil: 'commit' })
  } catch (error) {
    throw new RenderFailure('navigation', 'The browser could not open the page', { cause: error })
  }
  // A page that navigates to a forbidden address never reports that it is loaded.
  await Promise.race([page.waitForLoadState('domcontentloaded'), traffic.quiet(STUCK_MS, restMs)])
  await traffic.quiet(QUIET_MS, restMs)
  await runActions(page, request.actions, traffic)
  const html = await contentOf(page, traffic, restMs)
  const url = page.url()
  if (!/^https?:/.test(url))
    throw new RenderFailure('navigation', 'The page led to an address that is not http or https')
  if (html.length > request.maxLength)
    throw new RenderFailure(
      'too_large',
      `The rendered page is larger than the limit of ${request.maxLength} characters`,
    )
  const rendered = { url, html, screenshot: null }
  if (request.screenshot === null) return rendered
  if (request.isScreenshotOptional) ready.push(rendered)
  return { ...rendered, screenshot: await pictureOf(page, request) }
}

/** While a page navigates to another one, it has no content. */
async function contentOf(page: Page, traffic: Traffic, restMs: number): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await page.content()
    } catch (error) {
      if (attempt === CONTENT_TRIES || page.isClosed()) throw error
      await traffic.quiet(QUIET_MS, restMs)
    }
  }
}

async function pictureOf(
  page: Page,
  { screenshot, viewport, isScreenshotOptional = false }: RenderRequest,
): Promise<Uint8Array> {
  const options = {
    type: 'png',
    animations: 'disabled',
    ...(isScreenshotOptional && { timeout: PICTURE_MS }),
  } as const
  if (screenshot !== 'full') return page.screenshot(options)
  const height = Math.max(
    viewport.height,
    await page.evaluate(() => document.documentElement.scrollHeight),
  )
  return page.screenshot({
    ...options,
    fullPage: true,
    clip: { x: 0, y: 0, width: viewport.width, height: Math.min(height, MAX_HEIGHT) },
  })
}
