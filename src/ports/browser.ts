/**
 * Actions on a page before it is read, in order. Selectors are CSS, or XPath where they begin
 * with `/`, `(` or `.`.
 */
export type BrowserAction =
  /** Until something visible matches. */
  | { readonly kind: 'wait'; readonly selector: string }
  | { readonly kind: 'pause'; readonly ms: number }
  /**
   * Clicks up to this many times, while a visible element matches. The action fails only if nothing
   * matches before the first click.
   */
  | {
      readonly kind: 'click'
      readonly selector: string
      readonly times: number
      readonly optional: boolean
    }
  | { readonly kind: 'fill'; readonly selector: string; readonly value: string }
  /** The name of a key as in UI Events, such as `Enter`. */
  | { readonly kind: 'press'; readonly key: string }
  /** Scrolls by this many pixels, or to the end of the page. */
  | { readonly kind: 'scroll'; readonly by: number | 'end'; readonly times: number }

/** A request of a page, including the request for the page itself. */
export interface BrowserRequest {
  /** Absolute, http(s), without fragment. */
  readonly url: string
  readonly method: string
  /** Names are in lower case. Cookies are those that answers to this page have set. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
  /**
   * `document`: the document of the page or of a frame. `asset`: images, fonts, audio and video.
   * `other`: all else.
   */
  readonly kind: 'document' | 'script' | 'style' | 'data' | 'asset' | 'other'
}

/** The answer to a request of a page. */
export interface BrowserAnswer {
  readonly status: number
  /**
   * Names are in lower case. The content is decoded, so there are no headers about its coding or
   * length.
   */
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
  /** If true, a screenshot that fails or takes long is `null`, and the page is returned without it. */
  readonly isScreenshotOptional?: boolean
  /** Time limit of the whole rendering, in ms. It starts when the browser begins with the page. */
  readonly timeoutMs: number
  /** Characters of the document. */
  readonly maxLength: number
  /**
   * Answers every request of the page, first the one for the page itself. `null`: the request gets
   * no answer. The page must have no other way to any network. Never rejects.
   */
  readonly answer: (request: BrowserRequest) => Promise<BrowserAnswer | null>
  readonly signal: AbortSignal
}

/** A page after its scripts have settled and the actions are done. */
export interface RenderedPage {
  /** The page's final URL: scripts may have navigated elsewhere. */
  readonly url: string
  /** The document, serialised. */
  readonly html: string
  /** PNG; `null` if no screenshot was requested. */
  readonly screenshot: Uint8Array | null
}

/** Renders pages: runs their scripts, acts on them, and takes pictures of them. */
export interface Browser {
  /**
   * Renders one page in its own context, without cookies, cache or storage of other pages. Rejects
   * with a {@link RenderFailure} (kernel/failures), or with the signal's reason if it aborts. If
   * the browser has crashed before or because of this page, it is started again for the next page.
   */
  render(request: RenderRequest): Promise<RenderedPage>
  /** Closes the browser and its pages in flight. Idempotent. */
  close(): Promise<void>
}
