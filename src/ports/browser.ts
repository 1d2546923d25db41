/**
 * Actions on a page before it is read, in order. Selectors are CSS, or XPath where they begin
 * with `/`, `(` or `.`.
 */
export type BrowserAction =
  /** Until something visible matches. */
  | { readonly kind: 'wait'; readonly selector: string }
  | { readonly kind: 'pause'; readonly ms: number }
  /**
   * Clicks up to this many times, while something visible matches. After the first click it is not
   * a failure if nothing matches any more.
   */
  | {
      readonly kind: 'click'
      readonly selector: string
      readonly times: number
      readonly optional: boolean
    }
  | { readonly kind: 'fill'; readonly selector: string; readonly value: string }
  /** A key by its name of UI Events, such as `Enter`. */
  | { readonly kind: 'press'; readonly key: string }
  /** Scrolls by this many pixels, or to the end of the page. */
  | { readonly kind: 'scroll'; readonly by: number | 'end'; readonly times: number }

/** A request of a page, including the request for the page itself. */
export interface BrowserRequest {
  /** Absolute, http(s), without fragment. */
  readonly url: string
  readonly method: string
  /** Lower-case names. Cookies are those that answers of this page have set. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
  /** `document`: of the page or of a frame; `asset`: images, fonts, audio and video. */
  readonly kind: 'document' | 'script' | 'style' | 'data' | 'asset' | 'other'
}

/** The answer to a request of a page. */
export interface BrowserAnswer {
  readonly status: number
  /** Lower-case names; content decoded, so none that speak of its coding or length. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** One page to render. */
export interface RenderRequest {
  readonly url: string
  readonly userAgent: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly actions: readonly BrowserAction[]
  /** PNG of the window (`viewport`), or of the full page up to 16,384 pixels. `null`: no screenshot. */
  readonly screenshot: 'viewport' | 'full' | null
  /** True: a screenshot that fails, or takes long, is `null`, and the page is there. */
  readonly isScreenshotOptional?: boolean
  /** Time limit of the whole rendering, in ms. It starts when the browser begins with the page. */
  readonly timeoutMs: number
  /** Characters of the document. */
  readonly maxLength: number
  /**
   * Answers everything that the page asks for, the page itself first; `null`: it gets nothing.
   * There must be no other way from the page to any network. Never rejects.
   */
  readonly answer: (request: BrowserRequest) => Promise<BrowserAnswer | null>
  readonly signal: AbortSignal
}

/** A page as it is when its scripts have come to rest and the actions are done. */
export interface RenderedPage {
  /** The page's final URL: scripts may have navigated elsewhere. */
  readonly url: string
  /** The document, serialised. */
  readonly html: string
  /** PNG; `null` where no picture was asked for. */
  readonly screenshot: Uint8Array | null
}

/** Renders pages: runs their scripts, acts on them, and takes pictures of them. */
export interface Browser {
  /**
   * Renders one page in its own context, without cookies, cache or storage of other pages. Rejects
   * with a {@link RenderFailure} (kernel/failures), or with the signal's reason if it aborts. If the
   * browser has died, or dies of this page, it is started again for the next one.
   */
  render(request: RenderRequest): Promise<RenderedPage>
  /** Closes the browser and its pages in flight. Idempotent. */
  close(): Promise<void>
}
