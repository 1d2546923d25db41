import { html } from '../kernel/http/html.ts'
import type { Assets } from './assets.ts'
import type { ConsoleOptions, ConsolePath } from './options.ts'

/**
 * Only files of the console run, and nothing is loaded from elsewhere. Frames contain snapshots of
 * pages, by `srcdoc`. Pictures may be part of them.
 */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** Facts that the page gives its script, in an attribute. */
export interface PageFacts {
  /** Path of the console, without a slash at the end. */
  readonly base: string
  /** Path of the API, without a slash at the end. Empty: the root. */
  readonly api: string
  readonly title: string
  /** File name of the first script after `boot.ts`. */
  readonly script: string
  /** The host's login. */
  readonly signIn: string | null
}

/** The one page of the console; its script shows the screen that the address names. */
export function pageOf(
  { title = 'Seine', signIn }: ConsoleOptions,
  { base, api }: Pick<ConsolePath, 'base' | 'api'>,
  { boot, script, style, preloads }: Assets,
): string {
  const facts: PageFacts = { base, api, title, script, signIn: signIn ?? null }
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="seine-console" content="${JSON.stringify(facts)}" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${base}/${style}" />
        ${[script, ...preloads].map((name) => html`<link rel="modulepreload" href="${base}/${name}" />`)}
        <script type="module" src="${base}/plain/${boot}"></script>
      </head>
      <body>
        <div id="app"></div>
        <noscript>The console needs JavaScript. The API is at ${api}/docs.</noscript>
      </body>
    </html>`.text
}
