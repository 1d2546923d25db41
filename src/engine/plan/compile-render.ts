import type { Issue } from '../../kernel/errors.ts'
import type { BrowserAction } from '../../ports/browser.ts'
import { checkedSelector } from '../extract/select/parse-selector.ts'
import { checkedXPath } from '../extract/xpath/checked-xpath.ts'
import { isXPath } from '../recipe/field-schema.ts'
import type { RenderSettings } from '../render/renderer.ts'
import type { Action } from '../recipe/action-schema.ts'
import type { Recipe } from '../recipe/schema.ts'

/**
 * How a recipe's pages are rendered: all HTML pages, or with `auto` only those that are empty
 * without their scripts.
 */
export interface RenderPlan extends RenderSettings {
  readonly mode: 'browser' | 'auto'
}

const VIEWPORT = { width: 1_280, height: 800 }

/** Compiles a recipe's render settings, or returns `null` if pages are used as fetched. */
export function compileRender(
  { page = {}, formats = [] }: Pick<Recipe, 'page' | 'formats'>,
  issues: Issue[],
): RenderPlan | null {
  const { render = 'http', actions = [], viewport = VIEWPORT, screenshot } = page
  const wantsPicture = formats.includes('screenshot')
  if (render !== 'browser') {
    const needs = 'needs "page": { "render": "browser" }'
    if (actions.length > 0) issues.push({ path: 'page.actions', message: needs })
    if (screenshot !== undefined) issues.push({ path: 'page.screenshot', message: needs })
    if (wantsPicture)
      issues.push({
        path: `formats.${formats.indexOf('screenshot')}`,
        message: `screenshot ${needs}`,
      })
  } else if (screenshot !== undefined && !wantsPicture)
    issues.push({ path: 'page.screenshot', message: 'has no effect without the format screenshot' })
  if (render === 'http') return null
  return {
    mode: render,
    actions: actions.map((action, index) => compileAction(action, `page.actions.${index}`, issues)),
    viewport,
    screenshot: wantsPicture ? (screenshot ?? 'viewport') : null,
  }
}

function compileAction(action: Action, path: string, issues: Issue[]): BrowserAction {
  const { wait, click, fill, press, scroll, value = '', times = 1, optional = false } = action
  for (const [verb, selector] of Object.entries({ wait, click, fill })) {
    if (typeof selector !== 'string') continue
    if (isXPath(selector)) checkedXPath(selector, `${path}.${verb}`, issues)
    else checkedSelector(selector, `${path}.${verb}`, issues)
  }
  if (click !== undefined) return { kind: 'click', selector: click, times, optional }
  if (fill !== undefined) return { kind: 'fill', selector: fill, value }
  if (press !== undefined) return { kind: 'press', key: press }
  if (scroll !== undefined) return { kind: 'scroll', by: scroll, times }
  return typeof wait === 'string'
    ? { kind: 'wait', selector: wait }
    : { kind: 'pause', ms: wait ?? 0 }
}
