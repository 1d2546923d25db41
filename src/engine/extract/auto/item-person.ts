import { isTag, type Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { textStart } from '../tree/text-content.ts'
import { namesOf, ownText, type Item } from './item-elements.ts'

/** Longer texts are not names. */
const LONGEST_NAME = 120
/** Maximum number of levels above an element at which a name may mark it as the name of a person. */
const PERSON_LEVELS = 2
const PERSON_LINK = new RegExp(
  '(?:^|[/?&])(?:u|users?|members?|prof(?:iles?|iels?|ils?)|perfil|authors?|people|benutzer|' +
    String.raw`mitglied(?:er)?|membres?|usuarios?)(?:[-_]?\d{1,12}(?:[./?#-]|$)|[/=?]|$)|` +
    String.raw`[?&;]u=\d|/[~@][\w.-]+/?(?:$|[?#])`,
  'i',
)
const PERSON =
  /author|byline|(?:user|member)(?:profile)?[\s_-]?name|poster\b|(?:^|[\s_-])(?:user|member)(?:$|\s)/i
/** The formatted name of an hCard (https://microformats.org/wiki/hcard): `Ann` of `Ann says:`. */
const FULL_NAME = /(?:^|\s)fn(?:$|\s)/

/** True if an element is marked as the name of a person, such as a post's author. */
export function isPerson(element: Element): boolean {
  const { attribs } = element
  return (
    attribs['rel'] === 'author' || attribs['itemprop'] === 'author' || PERSON.test(namesOf(element))
  )
}

/** True for an element that names the item's author. */
export function namesPerson(element: Element, item: Element): boolean {
  let node: Element = element
  for (let level = 0; level <= PERSON_LEVELS && node !== item; level++) {
    if (isPerson(node)) return true
    const { parent } = node
    if (parent === null || !isTag(parent)) return false
    node = parent
  }
  const link = [element, ...element.children.filter(isTag)].find(({ name }) => name === 'a')
  return link !== undefined && isPersonLink(link)
}

/** Returns the element that names an item's author: the innermost marked one, without a badge. */
export function personOf({ element: item, below }: Item, budget: PageBudget): Element | null {
  const isName = (element: Element): boolean => {
    if (element.name === 'img' || !namesPerson(element, item)) return false
    const { length } = textStart(element, LONGEST_NAME + 1, budget)
    return (
      length > 1 &&
      length <= LONGEST_NAME &&
      element.children.every((child) => !isTag(child) || child.children.length < 2)
    )
  }
  const start = below.findIndex(isName)
  let name = below[start]
  if (name === undefined) return null
  for (const element of below.slice(start + 1)) {
    if ((element.startIndex ?? 0) > (name.endIndex ?? 0)) break
    const saysSo =
      isPerson(element) ||
      FULL_NAME.test(namesOf(element)) ||
      (element.name === 'a' && isPersonLink(element))
    if (saysSo && isName(element)) name = element
  }
  // The link around a picture may have a letter or a state beside it.
  const { href } = name.attribs
  if (href === undefined || ownText(name) !== '') return name
  return (
    below.find(
      (other) => other.attribs['href'] === href && ownText(other).length > 1 && isName(other),
    ) ?? name
  )
}

/** True for a link to a person's profile. */
export function isPersonLink({ attribs }: Element): boolean {
  return PERSON_LINK.test(attribs['href'] ?? '')
}
