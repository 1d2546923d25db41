import { afterAll, beforeAll, expect, it } from 'vitest'
import { chromium } from 'playwright-core'
import { RenderFailure } from '../../src/kernel/failures.ts'
import type { Browser, RenderRequest } from '../../src/ports/browser.ts'
import { freePort } from '../support/free-port.ts'
import { browserOf, platformOf, run } from './render-world.ts'
import { openScriptShop } from './script-shop.ts'
import type { ScriptShop } from './script-shop.ts'

let shop: ScriptShop

beforeAll(async () => {
  shop = await openScriptShop()
})
afterAll(() => shop.close())

const html =
  (body: string): RenderRequest['answer'] =>
  async ({ kind }) =>
    kind === 'document'
      ? {
          status: 200,
          headers: { 'content-type': 'text/html' },
          body: new TextEncoder().encode(body),
        }
      : null
const request = (overrides: Partial<RenderRequest>): RenderRequest => ({
  url: 'http://shop.example.com/',
  userAgent: 'Seine',
  viewport: { width: 800, height: 600 },
  actions: [],
  screenshot: null,
  timeoutMs: 600_000,
  maxLength: 1_000_000,
  answer: html('<p>ours</p>'),
  signal: new AbortController().signal,
  ...overrides,
})
/** An answer that tells when it was asked for first. */
function told() {
  const { promise: confirmed, resolve } = Promise.withResolvers<void>()
  const answer: RenderRequest['answer'] = (fetched) => {
    resolve()
    return html('<p>ours</p>')(fetched)
  }
  return { answer, asked: confirmed }
}

it('a page does without a screenshot that takes too long, where it can', async () => {
  const browser = browserOf()
  try {
    // A screenshot waits for fonts, of which this one never comes.
    const face = '@font-face{font-family:a;src:url(/a.woff)}p{font-family:a}'
    const page = html(`<style>${face}</style><p>ours</p>`)
    const answer: RenderRequest['answer'] = (fetched) =>
      fetched.kind === 'asset' ? Promise.withResolvers<null>().promise : page(fetched)
    // The start of the browser, which may take seconds, does not count.
    await browser.render(request({ answer: page, timeoutMs: 30_000 }))
    const slow = { answer, screenshot: 'viewport', timeoutMs: 16_000 } as const
    const rendered = await browser.render(request({ ...slow, isScreenshotOptional: true }))
    expect(rendered).toMatchObject({ screenshot: null, html: expect.stringContaining('ours') })
    expect(await failureOf(browser.render(request({ ...slow, timeoutMs: 4_000 })))).toBe('timeout')
  } finally {
    await browser.close()
  }
}, 60_000)

const failureOf = (rendering: Promise<unknown>) =>
  rendering.then(
    () => 'rendered',
    (error: unknown) => (error instanceof RenderFailure ? error.reason : error),
  )

/** A browser with a port for looking into it, and what looks. */
async function watched(concurrency = 4) {
  const port = await freePort()
  const browser = browserOf({ concurrency, launch: { args: [`--remote-debugging-port=${port}`] } })
  const pages = async () => {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      type: string
    }[]
    return targets.filter(({ type }) => type === 'page').length
  }
  return { browser, pages, port }
}

it('no page and no context is left, however twenty pages end', async () => {
  const { browser, pages } = await watched()
  try {
    const bodies = [
      '<p>ours</p>',
      '<script>window.open("/other")</script>',
      '<script>for (;;);</script>',
      '<iframe src="/in"></iframe>',
      '<script>location.href = "/next"</script>',
    ]
    const stop = new AbortController()
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        failureOf(
          browser.render(
            request({
              answer: html(bodies[index % 5] ?? ''),
              timeoutMs: 3_000,
              signal: index === 19 ? stop.signal : request({}).signal,
              actions:
                index === 7
                  ? [{ kind: 'click', selector: '.none', times: 1, optional: false }]
                  : [],
            }),
          ),
        ),
      ),
    )
    // This also holds if the browser had to be started anew.
    expect((await browser.render(request({}))).html).toContain('ours')
    await expect.poll(pages).toBe(0)
  } finally {
    await browser.close()
  }
})

it('a page that is cancelled ends at once, also while it waits', async () => {
  const browser = browserOf({ concurrency: 1 })
  try {
    const stop = new AbortController()
    const { answer, asked: confirmed } = told()
    // Neither page ends within this test.
    const rendering = [0, 1].map(() =>
      browser
        .render(request({ answer, signal: stop.signal, actions: [{ kind: 'pause', ms: 500_000 }] }))
        .catch((error: unknown) => error),
    )
    await confirmed
    stop.abort(new Error('enough'))
    expect(await Promise.all(rendering)).toEqual([new Error('enough'), new Error('enough')])
    expect((await browser.render(request({}))).html).toContain('ours')
  } finally {
    await browser.close()
  }
})

it('the renderer goes on after the crash of a page or of the browser', async () => {
  const { browser, port } = await watched()
  try {
    await browser.render(request({}))
    const other = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
    const session = await other.newBrowserCDPSession()
    const { answer, asked: confirmed } = told()
    const dying = failureOf(
      browser.render(request({ answer, actions: [{ kind: 'pause', ms: 500_000 }] })),
    )
    await confirmed
    await session.send('Browser.crash').catch(() => {})
    expect(await dying).toBe('crashed')
    expect((await browser.render(request({}))).html).toContain('ours')
  } finally {
    await browser.close()
  }
})

it('a failure says why there is no page', async () => {
  const browser = browserOf()
  try {
    expect(await failureOf(browser.render(request({ answer: async () => null })))).toBe(
      'navigation',
    )
    expect(await failureOf(browser.render(request({ maxLength: 10 })))).toBe('too_large')
    expect(
      await failureOf(browser.render(request({ actions: [{ kind: 'press', key: 'NoSuchKey' }] }))),
    ).toBe('action')
  } finally {
    await browser.close()
  }
  expect(await failureOf(browser.render(request({})))).toBe('unavailable')
  const none: Browser = browserOf({ executablePath: '/nowhere/chromium' })
  expect(await failureOf(none.render(request({})))).toBe('unavailable')
  await none.close()
})

it('a browser that runs elsewhere can be used', async () => {
  const port = await freePort()
  const there = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', `--remote-debugging-port=${port}`],
  })
  const browser = browserOf({ cdpUrl: `http://127.0.0.1:${port}` })
  try {
    shop.requests.splice(0)
    const { html: theirHtml } = await browser.render(
      request({
        answer: html(
          `<p>ours</p><img src="${shop.origin}/x.png"><script>new WebSocket('` +
            `${shop.origin.replace('http', 'ws')}'); new Worker(URL.createObjectURL(new ` +
            `Blob(["new WebSocket('${shop.origin.replace('http', 'ws')}')"])))</script>`,
        ),
        actions: [{ kind: 'pause', ms: 300 }],
      }),
    )
    expect(theirHtml).toContain('ours')
    expect(shop.requests).toEqual([])
    expect(there.isConnected()).toBe(true)
  } finally {
    await browser.close()
    await there.close()
  }
})

it('rendering stops with its execution', async () => {
  const stop = new AbortController()
  const browser = browserOf()
  let stoppedAt = 0
  const stopped: Browser = {
    ...browser,
    render: (job) =>
      browser.render({
        ...job,
        answer(fetched) {
          stoppedAt ||= performance.now()
          stop.abort()
          return job.answer(fetched)
        },
      }),
  }
  const platform = platformOf({ browser: stopped, allowPrivateNetwork: true })
  try {
    const { execution } = await run(
      platform,
      {
        start: { urls: [`${shop.origin}/plain`] },
        page: { render: 'browser', actions: [{ wait: 30_000 }] },
      },
      stop.signal,
    )
    expect(execution.status).toBe('running')
    // The page would have waited for so long.
    expect(performance.now() - stoppedAt).toBeLessThan(30_000)
  } finally {
    await platform.close()
  }
})
