import { compileJsonPath, matchesIn } from '../../../src/engine/extract/value/json-path.ts'
import { loadRegexEngine } from '../../../src/engine/extract/value/linear-regex.ts'
import { evaluateXPath } from '../../../src/engine/extract/xpath/evaluate-xpath.ts'
import { checkedXPath, parseXPath } from '../../../src/engine/extract/xpath/checked-xpath.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { parseSelector } from '../../../src/engine/extract/select/parse-selector.ts'
import { SelectorSet } from '../../../src/engine/extract/select/selector-set.ts'
import type { Issue } from '../../../src/kernel/errors.ts'
import { alike, isObject } from '../compare.ts'
import { htmlContent, textPage } from '../page.ts'
import type { Case, Kind, Value } from '../suite.ts'

/** Paths and selectors: their matches, and texts that are invalid. */
export const selectKinds: Readonly<Record<string, Kind>> = {
  jsonpath: { judge: judgeJsonPath },
  css: { judge: judgeCss },
  xpath: { judge: judgeXPath },
}

async function judgeJsonPath(one: Case): Promise<boolean> {
  await loadRegexEngine()
  const path = one.text('selector')
  if (one.value('invalid') === true) return refuses(() => compileJsonPath(path))
  const document = JSON.parse(JSON.stringify(one.value('document')))
  const values = matchesIn([document], compileJsonPath(path), new PageBudget())
  const allowed = one.value('results')
  return Array.isArray(allowed) && allowed.some((results) => alike(values, results))
}

function judgeCss(one: Case): boolean {
  const css = one.text('selector')
  if (one.value('invalid') === true) return refuses(() => parseSelector(css))
  const set = new SelectorSet()
  const index = set.add(parseSelector(css), true)
  if (one.value('valid') === true) return true
  const page = htmlContent(one)
  const scopeId = one.value('scope')
  const scope =
    scopeId === undefined
      ? null
      : (page.tree.elements.find(({ attribs }) => attribs['id'] === scopeId) ?? null)
  const matches = set.find(page.tree, scope, page.matching)[index] ?? []
  return alike(
    matches.map(({ attribs }) => attribs['id'] ?? ''),
    one.value('ids'),
  )
}

function judgeXPath(one: Case): boolean {
  const source = one.text('expression')
  if (one.value('invalid') === true) return refuses(() => parseXPath(source))
  const type = one.text('type') === 'xml' ? 'application/xml' : 'text/html'
  const page = new PageContent(textPage(one.text('document'), type))
  const { elements } = page.tree
  const context = one.value('context')
  const scope = typeof context === 'number' ? (elements[context] ?? null) : null
  const nodes = one.value('nodes')
  if (!Array.isArray(nodes)) {
    const value = evaluateXPath(parseXPath(source), page, scope)
    if (typeof value === 'object') return false
    const shown = typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
    return alike(shown, one.value('string') ?? one.value('number') ?? one.value('boolean'))
  }
  const issues: Issue[] = []
  const results = checkedXPath(source, 'xpath', issues)(page, scope)
  if (issues.length > 0) throw new Error(issues[0]?.message)
  return alike(
    results.map((result) => (typeof result === 'string' ? result : elements.indexOf(result))),
    nodes.map(nodeKey),
  )
}

/** A node of the engine: an element by its place, any other by its text. */
function nodeKey(node: Value): Value {
  if (!isObject(node)) return null
  const { element, value, text, comment, pi } = node
  return element ?? value ?? text ?? comment ?? pi ?? ('document' in node ? 0 : null)
}

function refuses(compile: () => unknown): boolean {
  try {
    compile()
    return false
  } catch {
    return true
  }
}
