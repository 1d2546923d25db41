import type { Browser, BrowserAction, RenderedPage } from '../../ports/browser.ts'
import type { Robots } from '../site/robots.ts'
import type { Egress, EgressResponse } from '../egress/types.ts'
import { RenderFailure } from '../../kernel/failures.ts'
import type { Logger } from '../../ports/logger.ts'

/** A recipe's render settings. */
export interface RenderSettings {
  readonly actions: readonly BrowserAction[]
  readonly viewport: { readonly width: number; readonly height: number }
  /** `null`: no screenshot is taken. */
  readonly screenshot: 'viewport' | 'full' | null
  /** Whether images and fonts are loaded. Absent: only if there is a screenshot. */
  readonly assets?: boolean
  /** As in `RenderRequest`. */
  readonly isScreenshotOptional?: boolean
}

/** Options to render one page. */
export interface RenderOptions extends RenderSettings {
  /** The recipe's headers, sent to the page's origin. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** `null`: robots.txt is ignored. */
  readonly robots: Robots | null
  readonly signal: AbortSignal
}

/** A rendered page with its costs. */
export interface Rendered extends RenderedPage {
  /** Number and bytes of the requests for the page's resources, without the page itself. */
  readonly requests: number
  readonly bytes: number
}

/** Renders fetched pages. */
export interface Renderer {
  /** @throws {RenderFailure} (kernel/failures), or the signal's reason */
  render(page: EgressResponse, options: RenderOptions): Promise<Rendered>
}

/** Maximum characters of a rendered document, equal to the maximum bytes of a fetched page. */
const MAX_LENGTH = 10 * 1024 * 1024

/**
 * Gives a browser limited access to the egress. A page's requests leave through the egress like all
 * others, or not at all.
 */
export function createRenderer({
  browser,
  egress,
  userAgent,
  logger,
}: {
  readonly browser: Browser
  readonly egress: Egress
  /**
   * Receives the reason why the browser cannot be used. Outcomes of pages do not contain it,
   * because their readers cannot fix it.
   */
  readonly logger: Pick<Logger, 'error'>
  /** The `User-Agent` if a recipe does not set it. Scripts see the same value. */
  readonly userAgent: string
}): Renderer {
  let logged: string | null = null
  const logCause = ({ message, cause }: RenderFailure): void => {
    const text = cause instanceof Error ? cause.message : message
    // A cause is logged once, and not for each page.
    if (text !== logged) logger.error(message, { error: cause })
    logged = text
  }
  return {
    async render(page, { headers, timeoutMs, robots, signal, ...settings }) {
      // Loaded with the first page: most hosts have no browser.
      const { PageRequests } = await import('./page-requests.ts')
      const over = new AbortController()
      const aborted = AbortSignal.any([signal, over.signal])
      const requests = new PageRequests({
        page,
        egress,
        robots,
        headers,
        withAssets: settings.assets ?? settings.screenshot !== null,
        signal: aborted,
      })
      try {
        const rendered = await browser.render({
          url: page.url,
          userAgent: agentOf(headers) ?? userAgent,
          ...settings,
          timeoutMs,
          maxLength: MAX_LENGTH,
          answer: (request) => requests.answer(request),
          signal,
        })
        logged = null
        return { ...rendered, requests: requests.count, bytes: requests.bytes }
      } catch (error) {
        if (error instanceof RenderFailure && error.reason === 'unavailable') logCause(error)
        throw error
      } finally {
        over.abort()
      }
    },
  }
}

function agentOf(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'user-agent')?.[1]
}
