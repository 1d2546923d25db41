import type { Browser, BrowserAnswer } from 'seine'
import type { Finding } from './doctor-server.ts'

const SECONDS = 30
/** The page's script must run, because its source alone has less text. */
const PAGE: BrowserAnswer = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: new TextEncoder().encode(
    '<title>Seine</title><p></p><script>document.querySelector("p").append(6 * 7)</script>',
  ),
}

/** Renders a page that needs no network, because an installed browser may fail to start. */
export async function browserFinding(browser: Browser): Promise<Finding> {
  const began = performance.now()
  try {
    const { html } = await browser.render({
      url: 'http://seine.invalid/',
      userAgent: 'seine doctor',
      viewport: { width: 800, height: 600 },
      actions: [],
      screenshot: null,
      timeoutMs: SECONDS * 1_000,
      maxLength: 10_000,
      answer: async ({ kind }) => (kind === 'document' ? PAGE : null),
      signal: AbortSignal.timeout(2 * SECONDS * 1_000),
    })
    if (!html.includes('<p>42</p>')) return wrong('It renders pages without their scripts')
    return {
      check: 'browser',
      state: 'ok',
      says: `renders a page in ${Math.round(performance.now() - began)} ms`,
    }
  } catch (error) {
    // The cause contains the remedy. The page's message is for readers who cannot repair the
    // browser.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return wrong(cause instanceof Error ? cause.message : String(cause))
  }
}

function wrong(says: string): Finding {
  const [line = says] = says.split('\n', 1)
  return { check: 'browser', state: 'wrong', says: line }
}
