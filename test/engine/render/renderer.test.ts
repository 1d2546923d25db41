import { expect, test, vi } from 'vitest'
import { createRenderer } from '../../../src/engine/render/renderer.ts'
import { RenderFailure } from '../../../src/kernel/failures.ts'
import type { Browser } from '../../../src/ports/browser.ts'
import type { Logger } from '../../../src/ports/logger.ts'

const PAGE = {
  url: 'https://a.example/',
  status: 200,
  headers: {},
  body: new Uint8Array(),
  truncated: false,
  redirects: [],
  durationMs: 1,
}
const OPTIONS = {
  actions: [],
  viewport: { width: 1, height: 1 },
  screenshot: null,
  headers: {},
  timeoutMs: 1_000,
  robots: null,
  signal: new AbortController().signal,
}

/** A renderer whose browser fails with these causes, one after the other; `null` is a success. */
function rendererOf(causes: readonly (string | null)[]) {
  const error = vi.fn<Logger['error']>()
  let index = 0
  const browser: Browser = {
    render: async () => {
      const cause = causes[index++]
      if (cause !== null)
        throw new RenderFailure('unavailable', 'The browser could not be started', {
          cause: new Error(cause),
        })
      return { url: PAGE.url, html: '', screenshot: null }
    },
    close: async () => {},
  }
  const renderer = createRenderer({
    browser,
    egress: () => Promise.reject(new Error('Nothing is asked for')),
    userAgent: 'x',
    logger: { error },
  })
  const render = () => renderer.render(PAGE, OPTIONS).catch((failure: unknown) => String(failure))
  return { render, error }
}

test('the reason why the browser cannot be used is logged once, and is in no message of a page', async () => {
  const { render, error } = rendererOf(['no sandbox', 'no sandbox', 'no memory', null, 'no memory'])
  const messages = []
  for (let page = 0; page < 5; page++) messages.push(await render())
  expect(messages.filter((message) => String(message).includes('no '))).toEqual([])
  expect(error.mock.calls).toEqual(
    ['no sandbox', 'no memory', 'no memory'].map((cause) => [
      'The browser could not be started',
      { error: new Error(cause) },
    ]),
  )
})
