import { isTag, isText } from 'domhandler'
import type { Element } from 'domhandler'
import type { Field } from '../../recipe/recipe-input.ts'
import { inSlices, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { collapse, textStart } from '../tree/text-content.ts'
import { hasWordBesideMoney, MONEY } from './item-roles.ts'

/** Longer texts are not a name with a price. */
const MOST_TEXT = 80
/** Steps that a turn counts for a line that is checked. */
const LINE_STEPS = 16
/** XPath of an item's text outside its elements. */
const OWN_TEXT = './text()[normalize-space()]'
/** Signs between a name and a price. */
const BETWEEN = [' - ', ' – ', ' — ', ' | ', ': ', ', ']

/**
 * The fields of items that consist of a name and a price, if one or both have no element of their
 * own, such as `<li>Cup <b>$4</b></li>`. It returns only fields that are missing in `fields`, and
 * only if all items are like this.
 */
export function* pricedLineParts(
  items: readonly Element[],
  fields: Readonly<Record<string, Field>>,
  budget: PageBudget,
): Parts<Record<string, Field>> {
  // The whole item is the title only if no element in it is one.
  const isWhole = fields['title'] === ':scope'
  const hasTitle = Object.hasOwn(fields, 'title') && !isWhole
  const hasPrice = Object.hasOwn(fields, 'price')
  if (hasTitle && hasPrice) return {}
  const lines: string[] = []
  const areLines = yield* areAll(items, budget, (item) => {
    const texts = ownTexts(item)
    const [line = ''] = texts
    lines.push(line)
    return texts.length === 1 && line.length <= MOST_TEXT
  })
  if (!areLines) return {}
  const arePrices = yield* areAll(lines, budget, (line) => MONEY.test(line))
  // "Save $5 today" is not a price.
  if (hasTitle)
    return arePrices && (yield* areAll(lines, budget, (line) => !hasWordBesideMoney(line)))
      ? { price: { xpath: OWN_TEXT, as: 'number' } }
      : {}
  // A text in most items is a label, or the number in stock.
  const haveWords = yield* areAll(lines, budget, hasWordBesideMoney)
  if (!haveWords || new Set(lines).size * 2 <= lines.length) return {}
  if (hasPrice) {
    const isOnly = (item: Element): boolean => !hasOtherWords(item, budget)
    const isTitled = !arePrices && (!isWhole || (yield* areAll(items, budget, isOnly)))
    return isTitled ? { title: nameField(lines) } : {}
  }
  const sign = arePrices ? yield* signBetween(lines, budget) : null
  if (sign === null) return {}
  const arePriced = yield* areAll(lines, budget, (line) => {
    const [name = '', price = ''] = line.split(sign)
    return !MONEY.test(name) && MONEY.test(price)
  })
  if (!arePriced) return {}
  return {
    title: { xpath: OWN_TEXT, transform: ['collapse', { split: sign }, { item: 0 }, 'trim'] },
    price: { xpath: OWN_TEXT, as: 'number', transform: ['collapse', { split: sign }, { item: 1 }] },
  }
}

/** The sign that divides each line into two. */
function* signBetween(lines: readonly string[], budget: PageBudget): Parts<string | null> {
  for (const sign of BETWEEN)
    if (yield* areAll(lines, budget, (line) => line.split(sign).length === 2)) return sign
  return null
}

/** True if all members of a list fit. It is checked in parts, up to the first that does not. */
function* areAll<T>(
  list: readonly T[],
  budget: PageBudget,
  fits: (member: T) => boolean,
): Parts<boolean> {
  for (const slice of inSlices(list)) {
    if (!slice.every(fits)) return false
    budget.unpaid(LINE_STEPS * slice.length)
    yield
  }
  return true
}

/** Matches a price after its sign at the end of a title, or the two ends of prices. */
const AFTER_SIGN = /^\s?\d[\d.,]{0,20}(?:\s?[-–—]\s?[$€£¥]?\s?\d[\d.,]{0,20})?$/
const END_OF_NAME = /[\p{L}\p{N})\]"'”]$/u
const SIGNS = ['$', '€', '£', '¥']
/** Minimum share of titles that end with a price. The others have no price. */
const MOST_PRICED_TITLES = 0.8

/**
 * The fields of items whose titles end with their prices, such as `Oil lamp $7.95 - $17.95`. It
 * returns only the fields of items without another price.
 */
export function pricedTitle(
  titles: readonly Element[],
  fields: Readonly<Record<string, Field>>,
  budget: PageBudget,
): Record<string, Field> {
  const { title: css } = fields
  if (typeof css !== 'string' || Object.hasOwn(fields, 'price')) return {}
  const texts = titles.map((title) => textStart(title, MOST_TEXT, budget))
  const sign = SIGNS.find((mark) => endWithPrices(texts, ` ${mark}`))
  if (sign === undefined) return {}
  const split = ` ${sign}`
  return {
    title: { css, transform: ['collapse', { split }, { item: 0 }] },
    price: {
      css,
      as: 'number',
      transform: ['collapse', { split }, { item: 1 }, { split: ' ' }, { item: 0 }],
    },
  }
}

/** True if most texts have the sign, and each sign is between a name and a price. */
function endWithPrices(texts: readonly string[], split: string): boolean {
  const priced = texts.filter((text) => text.includes(split))
  return (
    priced.length > 0 &&
    priced.length >= MOST_PRICED_TITLES * texts.length &&
    priced.every((text) => {
      const start = text.indexOf(split)
      return (
        END_OF_NAME.test(text.slice(0, start)) && AFTER_SIGN.test(text.slice(start + split.length))
      )
    })
  )
}

/** The texts of an element outside its child elements. */
function ownTexts(element: Element): string[] {
  return element.children.flatMap((child) => {
    const text = isText(child) ? collapse(child.data.slice(0, 2 * MOST_TEXT)) : ''
    return text === '' ? [] : [text]
  })
}

/** True if an element of an item has words, besides those of a price. */
function hasOtherWords(item: Element, budget: PageBudget): boolean {
  return item.children.some(
    (child) => isTag(child) && hasWordBesideMoney(textStart(child, MOST_TEXT, budget)),
  )
}

/** A name, without the sign that separates it from the price after it. */
function nameField(lines: readonly string[]): Field {
  const sign = [':', '-', '–', '—', '|'].find((end) =>
    lines.every((line) => line.endsWith(end) && line.indexOf(end) === line.length - 1),
  )
  return {
    xpath: OWN_TEXT,
    transform: [
      'collapse',
      ...(sign === undefined ? [] : [{ replace: [sign, ''] as const }]),
      'trim',
    ],
  }
}
