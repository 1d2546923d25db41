import type { Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import type { FieldSource } from '../../recipe/field-schema.ts'
import type { PageContent } from '../page/page-content.ts'
import { checkedSelector } from '../select/checked-selector.ts'
import { readElement } from '../value/read-element.ts'
import { collect } from './collect.ts'
import type { Compiling, Reader } from './place.ts'

/** Compiles `css`. `cssPath`: where the selector stands, which is not below `at` where a field is just a selector. */
export function compileCss(source: FieldSource, css: string, at: string, cssPath: string, compiling: Compiling): Reader {
  const { attr, as, many } = source
  const nested = source.fields === undefined ? null : compiling.group(source.fields, `${at}.fields`, 'element')
  const selector = checkedSelector(css, cssPath, compiling.issues)
  if (compiling.ground === 'json') compiling.issues.push({ path: cssPath, message: 'is a CSS selector, and the items of a JSONPath are no elements; begin with $ for a path in the item' })
  if (selector === null) return () => null
  const read = (element: Element, page: PageContent): Json => (nested === null ? readElement(element, attr, as, page) : nested.read(page, { element }))
  const place = compiling.selectors.add(selector, many === true)
  if (many === true) return (page, matches) => collect(matches[place] ?? [], true, (element) => read(element, page))
  return (page, matches) => {
    const element = matches[place]?.[0]
    return element === undefined ? null : read(element, page)
  }
}
