import { setTimeout as pause } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { RenderFailure } from '../../src/kernel/failures.ts'
import type { BrowserAction } from '../../src/ports/browser.ts'
import type { Traffic } from './traffic.ts'

/** Longest wait for an element to click or fill. */
const APPEAR_MS = 5_000
/** Longest wait of the action `wait`. */
const WAIT_MS = 15_000
/** After an action a page is quiet after this time without a request. */
const QUIET_MS = 250
/** Longest wait for that. */
const REST_MS = 5_000

/**
 * Performs the actions of a recipe, one after the other.
 *
 * @throws {RenderFailure} `action`, naming the path in the recipe
 */
export async function runActions(
  page: Page,
  actions: readonly BrowserAction[],
  traffic: Traffic,
): Promise<void> {
  for (const [index, action] of actions.entries()) {
    try {
      await act(page, action, traffic)
    } catch (error) {
      throw new RenderFailure('action', `page.actions.${index}: ${wordsFor(action)}`, {
        cause: error,
      })
    }
  }
}

async function act(page: Page, action: BrowserAction, traffic: Traffic): Promise<void> {
  switch (action.kind) {
    case 'wait':
      return visible(page, action.selector).waitFor({ timeout: WAIT_MS })
    case 'pause':
      return pause(action.ms)
    case 'click':
      return click(page, action, traffic)
    case 'fill':
      await visible(page, action.selector).fill(action.value, { timeout: APPEAR_MS })
      return traffic.quiet(QUIET_MS, REST_MS)
    case 'press':
      await page.keyboard.press(action.key)
      return traffic.quiet(QUIET_MS, REST_MS)
    case 'scroll':
      for (let nth = 0; nth < action.times; nth++) {
        await page.evaluate(
          (by) =>
            window.scrollBy({
              top: by === 'end' ? document.documentElement.scrollHeight : by,
              behavior: 'instant',
            }),
          action.by,
        )
        await traffic.quiet(QUIET_MS, REST_MS)
      }
  }
}

async function click(
  page: Page,
  { selector, times, optional }: Extract<BrowserAction, { kind: 'click' }>,
  traffic: Traffic,
): Promise<void> {
  const target = visible(page, selector)
  for (let nth = 0; nth < times; nth++) {
    const isNeeded = nth === 0 && !optional
    if (!isNeeded && !((await target.count()) > 0 && (await target.isEnabled()))) return
    try {
      await target.click({ timeout: APPEAR_MS })
    } catch (error) {
      if (isNeeded) throw error
      return
    }
    await traffic.quiet(QUIET_MS, REST_MS)
  }
}

function visible(page: Page, selector: string): Locator {
  const engine = /^\s*(?:\/|\(|\.\/|\.\.)/.test(selector) ? 'xpath' : 'css'
  return page.locator(`${engine}=${selector}`).filter({ visible: true }).first()
}

function wordsFor(action: BrowserAction): string {
  switch (action.kind) {
    case 'wait':
      return `nothing visible matched ${action.selector}`
    case 'click':
    case 'fill':
      return `nothing that could be ${action.kind === 'click' ? 'clicked' : 'filled'} matches ${action.selector}`
    case 'press':
      return `the key ${action.key} could not be pressed`
    case 'pause':
    case 'scroll':
      return 'it could not be done'
  }
}
