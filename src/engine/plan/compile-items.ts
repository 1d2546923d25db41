import type { Issue } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { checkedSelector } from '../extract/select/parse-selector.ts'
import { SelectorSet } from '../extract/select/selector-set.ts'
import type { Ground, RowNode } from '../extract/source/reader.ts'
import type { Find } from '../extract/source/refine.ts'
import { checkedJsonPath } from '../extract/value/json-path.ts'
import { checkedXPath } from '../extract/xpath/checked-xpath.ts'
import { isXPath, stateItems } from '../recipe/field-schema.ts'

/** The parts of a page that `items` names. */
export interface Items {
  /** The kind of the parts. */
  readonly ground: Ground
  /** Finds the parts of a page, in their order. */
  readonly find: (page: PageContent) => Find<RowNode>
  /** True if all parts are found before the first is taken. */
  readonly isListed: boolean
}

/**
 * Compiles `items`: a CSS selector, an XPath, or a JSONPath in the document of a JSON page, in the
 * JSON-LD of any other page, or (`:state(…)`) in what scripts left in it.
 */
export function compileItems(items: string, path: string, issues: Issue[]): Items {
  const state = stateItems(items)
  if (state !== null) return jsonItems(state, path, issues, (page) => page.state)
  if (items.startsWith('$')) return jsonItems(items, path, issues, (page) => page.data)
  return isXPath(items) ? xpathItems(items, path, issues) : cssItems(items, path, issues)
}

function cssItems(items: string, path: string, issues: Issue[]): Items {
  const selectors = new SelectorSet()
  const selector = checkedSelector(items, path, issues)
  const index = selector === null ? -1 : selectors.add(selector, true)
  return {
    ground: 'element',
    isListed: true,
    find: (page) => (take) =>
      (selectors.find(page.tree, null, page.matching)[index] ?? []).some((element) =>
        take({ element }),
      ),
  }
}

function xpathItems(items: string, path: string, issues: Issue[]): Items {
  const find = checkedXPath(items, path, issues)
  return {
    ground: 'element',
    isListed: true,
    find: (page) => (take) =>
      find(page, null).some((element) => typeof element !== 'string' && take({ element })),
  }
}

function jsonItems(
  items: string,
  path: string,
  issues: Issue[],
  documentsOf: (page: PageContent) => readonly Json[],
): Items {
  const query = checkedJsonPath(items, path, issues)
  // A filter tests the members of the value it is applied to, so a JSON-LD block that is itself
  // the wanted item would never be tested.
  const isAnywhere = items.startsWith('$..')
  return {
    ground: 'json',
    isListed: false,
    find: (page) => (take) =>
      documentsOf(page).some((document) =>
        query(isAnywhere && !page.isData ? [document] : document, page.budget, (item) =>
          take({ element: null, item }),
        ),
      ),
  }
}
