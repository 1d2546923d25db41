import { isText } from 'domhandler'
import type { Field } from '../../recipe/recipe-input.ts'
import { collapse } from '../tree/text-content.ts'
import type { Item } from './item-elements.ts'
import { MONEY } from './item-roles.ts'

/** A longer text is no line of a name and a price. */
const MOST_TEXT = 80
/** The text of an item beside its elements. */
const OWN_TEXT = './text()[normalize-space()]'
/** What stands between a name and a price. */
const BETWEEN = [' - ', ' – ', ' — ', ' | ', ': ', ', ']

/**
 * The fields of items that are a name and a price, of which one or both are in no element of their
 * own, such as `<li>Cup <b>$4</b></li>`. Only what `fields` lacks.
 */
export function pricedLine(
  items: readonly Item[],
  fields: Readonly<Record<string, Field>>,
): Record<string, Field> {
  // The whole item is a title only where nothing else in it is.
  const hasTitle = Object.hasOwn(fields, 'title') && fields['title'] !== ':scope'
  const hasPrice = Object.hasOwn(fields, 'price')
  if (hasTitle && hasPrice) return {}
  const texts = items.map(({ element }) =>
    element.children.flatMap((child) => {
      const text = isText(child) ? collapse(child.data.slice(0, 2 * MOST_TEXT)) : ''
      return text === '' ? [] : [text]
    }),
  )
  const lines = texts.flat()
  if (texts.some((own) => own.length !== 1) || lines.some((line) => line.length > MOST_TEXT))
    return {}
  const arePrices = lines.every((line) => MONEY.test(line))
  const areNames = lines.every((line) => /\p{L}{2}/u.test(line))
  if (hasTitle) return arePrices && !hasPrice ? { price: { xpath: OWN_TEXT, as: 'number' } } : {}
  if (!areNames) return {}
  if (hasPrice) return arePrices ? {} : { title: nameField(lines) }
  const sign = BETWEEN.find((between) => lines.every((line) => line.split(between).length === 2))
  if (!arePrices || sign === undefined) return {}
  const [names, prices] = [0, 1].map((part) => lines.map((line) => line.split(sign)[part] ?? ''))
  if (names?.some((name) => MONEY.test(name)) || !prices?.every((price) => MONEY.test(price)))
    return {}
  return {
    title: { xpath: OWN_TEXT, transform: ['collapse', { split: sign }, { item: 0 }, 'trim'] },
    price: { xpath: OWN_TEXT, as: 'number', transform: ['collapse', { split: sign }, { item: 1 }] },
  }
}

/** A name, without the sign that parts it from the price after it. */
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
