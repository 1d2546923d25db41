import { isList, isObject } from '../../../kernel/json.ts'
import type { Json } from '../../../kernel/json.ts'
import type { FieldSource } from '../../recipe/recipe-input.ts'
import type { MicrodataItem } from '../page/microdata.ts'
import type { PageContent } from '../page/page-content.ts'
import type { Compiling, RowNode, ValueReader } from './reader.ts'
import { compileValues, readerOfValues } from './value-source.ts'

/**
 * Compiles `microdata`: `Product.offers.price`, in microdata and RDFa; `h-entry.name`, in
 * microformats. If the first name is a type,
 * the path starts at the items of that type anywhere in the page or the row's element. Otherwise it
 * starts at the outermost items there.
 */
export function compileMicrodata(
  source: FieldSource,
  path: string,
  sourcePath: string,
  compiling: Compiling,
): ValueReader {
  const [first = '', ...rest] = path.split('.')
  const read = compileValues(source, sourcePath, compiling)
  const isFormat = first.startsWith('h-')
  const valuesOf = (page: PageContent, node: RowNode): readonly Json[] => {
    const items = itemsIn(isFormat ? formatsOf(page) : page.markedItems, node)
    page.budget.work(2 * items.length)
    const ofType = items.filter(({ value }) => hasType(value, first))
    const starts =
      ofType.length > 0
        ? ofType.map(({ value }) => value)
        : outermost(items).flatMap(({ value }) => members(value, first))
    return rest.reduce<readonly Json[]>(
      (values, name) =>
        values.flatMap((value) => {
          page.budget.work(1)
          return members(value, name)
        }),
      starts,
    )
  }
  return readerOfValues(read, valuesOf, (page) =>
    isFormat ? page.readPlainFormats() : page.readMarkedItems(),
  )
}

function formatsOf(page: PageContent): readonly MicrodataItem[] {
  page.budget.work(page.microformats.length)
  return page.plainFormats
}

/** Returns the items in the row's element, itself included. Items are in document order. */
function itemsIn(items: readonly MicrodataItem[], { element }: RowNode): readonly MicrodataItem[] {
  if (element === null) return items
  const from = firstFrom(items, element.startIndex ?? 0)
  return items.slice(from, firstFrom(items, (element.endIndex ?? -1) + 1))
}

function firstFrom(items: readonly MicrodataItem[], position: number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((items[middle]?.element.startIndex ?? 0) < position) low = middle + 1
    else high = middle
  }
  return low
}

function outermost(items: readonly MicrodataItem[]): readonly MicrodataItem[] {
  let end = -1
  return items.filter(({ element }) => {
    if ((element.startIndex ?? 0) <= end) return false
    end = element.endIndex ?? -1
    return true
  })
}

function hasType(value: Json, typeName: string): boolean {
  const type = members(value, '@type')
  return type.some(
    (name) =>
      typeof name === 'string' &&
      name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('#')) + 1) === typeName,
  )
}

/** Returns the values of a property; the members of a list one by one. */
function members(value: Json, name: string): readonly Json[] {
  if (!isObject(value)) return []
  const property = Object.hasOwn(value, name) ? (value[name] ?? null) : null
  return isList(property) ? property : property === null ? [] : [property]
}
