import type { Issue } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import {
  answered,
  atOnce,
  inSlices,
  type InOneOrParts,
  type Parts,
} from '../extract/page/in-turns.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { checkedSelector } from '../extract/select/parse-selector.ts'
import { SelectorSet } from '../extract/select/selector-set.ts'
import type { Ground, RowNode } from '../extract/source/reader.ts'
import { checkedJsonPath } from '../extract/value/json-path.ts'
import { checkedXPath } from '../extract/xpath/checked-xpath.ts'
import { isXPath, stateItems } from '../recipe/field-schema.ts'

/** Receives one part of a page after the other. True: no more are needed. */
type TakeNode = (node: RowNode) => InOneOrParts<boolean>

/** The parts of a page that `items` names. */
export interface Items {
  /** The kind of the parts. */
  readonly ground: Ground
  /** Passes the parts of a page, in their order, to `take` until it has enough. */
  readonly findParts: (page: PageContent, take: TakeNode) => Parts<unknown>
  /** True if all parts are found before the first is taken. */
  readonly isListed: boolean
}

/**
 * Compiles `items`: a CSS selector, an XPath, or a JSONPath in the document of a JSON page, in the
 * JSON-LD of any other page, or (`:state(…)`) in what scripts left in it.
 */
export function compileItems(items: string, path: string, issues: Issue[]): Items {
  const state = stateItems(items)
  if (state !== null)
    return jsonItems(state, path, issues, {
      read: (page) => page.readState(),
      documentsOf: (page) => page.state,
    })
  if (items.startsWith('$'))
    return jsonItems(items, path, issues, {
      read: (page) => page.readData(),
      documentsOf: (page) => page.data,
    })
  return isXPath(items) ? xpathItems(items, path, issues) : cssItems(items, path, issues)
}

function cssItems(items: string, path: string, issues: Issue[]): Items {
  const selectors = new SelectorSet()
  const selector = checkedSelector(items, path, issues)
  const index = selector === null ? -1 : selectors.add(selector, true)
  return {
    ground: 'element',
    isListed: true,
    *findParts(page, take) {
      const matches = yield* selectors.findParts(page.tree, page.matching)
      for (const slice of inSlices(matches[index] ?? [])) {
        yield
        for (const element of slice) {
          const isEnough = take({ element })
          if (isEnough === true || (isEnough !== false && (yield* isEnough))) return
        }
      }
    },
  }
}

function xpathItems(items: string, path: string, issues: Issue[]): Items {
  const xpath = checkedXPath(items, path, issues)
  return {
    ground: 'element',
    isListed: true,
    *findParts(page, take) {
      const matches = page.isInTurns ? yield* xpath.parts(page, null) : xpath(page, null)
      for (const slice of inSlices(matches)) {
        yield
        for (const element of slice) {
          const isEnough = typeof element !== 'string' && take({ element })
          if (isEnough === true || (isEnough !== false && (yield* isEnough))) return
        }
      }
    },
  }
}

/** The documents of a page that a JSONPath is for. */
interface Documents {
  readonly read: (page: PageContent) => Parts<void>
  readonly documentsOf: (page: PageContent) => readonly Json[]
}

function jsonItems(
  items: string,
  path: string,
  issues: Issue[],
  { read, documentsOf }: Documents,
): Items {
  const query = checkedJsonPath(items, path, issues)
  // A filter tests the members of the value it is applied to, so a JSON-LD block that is itself
  // the wanted item would never be tested.
  const isAnywhere = items.startsWith('$..')
  const placed = (page: PageContent, document: Json): Json =>
    isAnywhere && !page.isData ? [document] : document
  return {
    ground: 'json',
    isListed: false,
    *findParts(page, take) {
      const { budget, isInTurns } = page
      const takeItem = (item: Json): InOneOrParts<boolean> => take({ element: null, item })
      yield* read(page)
      for (const document of documentsOf(page)) {
        const whole = placed(page, document)
        if (
          isInTurns
            ? yield* query.parts(whole, budget, takeItem)
            : query(whole, budget, (item) => atOnce(answered(takeItem(item))))
        )
          return
      }
    },
  }
}
