import { isTag, isText } from 'domhandler'
import type { ChildNode, Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import { innerParts } from '../tree/serialise.ts'
import { walkParts } from '../tree/text-content.ts'
import type { Parts } from './in-turns.ts'
import { dateOfParts } from './microformat-dates.ts'
import { propertiesIn, rootsIn } from './microformat-names.ts'
import type { PropertyKind } from './microformat-names.ts'
import type { PageBudget } from './page-budget.ts'

const LEFT_OUT = new Set(['script', 'style', 'template'])
const LINKS: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  link: 'href',
  audio: 'src',
  video: 'src',
  source: 'src',
  iframe: 'src',
  object: 'data',
}
const ADDRESSES = new Set(['href', 'src', 'poster', 'cite', 'data'])
const TITLED = new Set(['abbr', 'link'])

/** Steps of a class that nobody pays for. */
const CLASS_STEPS = 4

type IsRoot = (element: Element) => boolean

/** Reads the values of properties from elements. */
export class MicroformatValues {
  readonly #budget: PageBudget
  readonly #absolute: (href: string) => string

  constructor(budget: PageBudget, absolute: (href: string) => string) {
    this.#budget = budget
    this.#absolute = absolute
  }

  /** Reads the value of a property. `day`: the day of an earlier value, for a time without its day. */
  *of(element: Element, kind: PropertyKind, day: string | null, isClassic: boolean): Parts<Json> {
    switch (kind) {
      case 'p':
        return yield* this.#plain(element)
      case 'u':
        return yield* this.#link(element, isClassic)
      case 'dt':
        return yield* this.#date(element, day, isClassic)
      case 'e':
        return { html: yield* this.#markup(element), value: yield* this.text(element) }
    }
  }

  /** The markup in an element, with absolute addresses. */
  *#markup(element: Element): Parts<string> {
    const markup = yield* innerParts(element, this.#budget, {
      attribute: (name, value) => (ADDRESSES.has(name) ? this.#absolute(value) : value),
    })
    return markup.trim()
  }

  /**
   * The text of an element, in which images are their alternative text or their address. `isWhole`:
   * with the white space at its ends.
   */
  *text(
    element: Element,
    { hasImages = true, hasSources = true, isWhole = false } = {},
  ): Parts<string> {
    let text = ''
    this.#budget.work(2)
    yield* visit(element, (node) => {
      this.#budget.work(1)
      if (isText(node)) {
        text += node.data
        return true
      }
      if (!isTag(node) || LEFT_OUT.has(node.name)) return false
      if (node.name === 'img' && hasImages) {
        const { alt, src } = node.attribs
        text += alt ?? (src === undefined || !hasSources ? '' : ` ${this.#absolute(src)} `)
      }
      return true
    })
    this.#budget.make(text.length)
    return isWhole ? text : text.trim()
  }

  *#plain(element: Element): Parts<string> {
    const { name, attribs } = element
    const parts = yield* this.#valueParts(element)
    if (parts !== null) return parts.join('')
    const attribute = TITLED.has(name)
      ? attribs['title']
      : name === 'data' || name === 'input'
        ? attribs['value']
        : name === 'img' || name === 'area'
          ? attribs['alt']
          : undefined
    return attribute ?? (yield* this.text(element))
  }

  *#link(element: Element, isClassic: boolean): Parts<Json> {
    const { name, attribs } = element
    const own = this.#ownLink(element, !isClassic)
    if (own !== null) return own
    const parts = yield* this.#valueParts(element)
    const attribute =
      name === 'abbr'
        ? attribs['title']
        : name === 'data' || name === 'input'
          ? attribs['value']
          : undefined
    const text = parts?.join('') ?? attribute ?? (yield* this.text(element, { hasImages: false }))
    return this.#absolute(text)
  }

  /** The URL that an element links to, or of the image that it shows. */
  #ownLink({ name, attribs }: Element, hasAlt = true): Json {
    if (name === 'img') {
      const { src, alt } = attribs
      if (src === undefined) return null
      return alt === undefined || !hasAlt
        ? this.#absolute(src)
        : { value: this.#absolute(src), alt }
    }
    const href = attribs[LINKS[name] ?? ''] ?? (name === 'video' ? attribs['poster'] : undefined)
    return href === undefined ? null : this.#absolute(href)
  }

  *#date(element: Element, day: string | null, isClassic: boolean): Parts<string> {
    const { name, attribs } = element
    const parts = yield* this.#valueParts(element, true)
    const combined = parts === null ? null : dateOfParts(parts, day, false, isClassic)
    if (combined !== null) return combined
    const attribute =
      name === 'time' || name === 'ins' || name === 'del'
        ? attribs['datetime']
        : name === 'abbr'
          ? attribs['title']
          : name === 'data' || name === 'input'
            ? attribs['value']
            : undefined
    const text = attribute ?? (yield* this.text(element, { hasImages: false }))
    return dateOfParts([text], day, true, isClassic) ?? text
  }

  /** The parts of a value that classes `value` and `value-title` mark. `null`: it has no such parts. */
  *#valueParts(element: Element, isDate = false): Parts<string[] | null> {
    const marked: { readonly node: Element; readonly isTitle: boolean }[] = []
    yield* visit(element, (node) => {
      this.#budget.work(1)
      if (!isTag(node)) return true
      const classes = node.attribs['class']?.split(/[\t\n\f\r ]+/, 50) ?? []
      const isTitle = classes.includes('value-title')
      if (isTitle || classes.includes('value')) {
        marked.push({ node, isTitle })
        return false
      }
      this.#budget.unpaid(CLASS_STEPS * classes.length)
      return propertiesIn(classes).length === 0 && rootsIn(classes).length === 0
    })
    if (marked.length === 0) return null
    const parts: string[] = []
    for (const { node, isTitle } of marked) {
      yield
      parts.push(isTitle ? (node.attribs['title'] ?? '') : yield* this.#partOf(node, isDate))
    }
    return parts
  }

  *#partOf(element: Element, isDate: boolean): Parts<string> {
    const { name, attribs } = element
    const attribute =
      name === 'img' || name === 'area'
        ? attribs['alt']
        : name === 'data'
          ? attribs['value']
          : name === 'abbr'
            ? attribs['title']
            : isDate && (name === 'time' || name === 'ins' || name === 'del')
              ? attribs['datetime']
              : undefined
    return attribute ?? (yield* this.text(element))
  }

  *impliedName(element: Element): Parts<string> {
    const own = impliedText(element)
    if (own !== null) return own
    const child = onlyChild(element)
    const ofChild = child === null ? null : impliedText(child)
    if (ofChild !== null && ofChild !== '') return ofChild
    const grandchild = child === null ? null : onlyChild(child)
    const ofGrandchild = grandchild === null ? null : impliedText(grandchild)
    if (ofGrandchild !== null && ofGrandchild !== '') return ofGrandchild
    return yield* this.text(element, { hasSources: false })
  }

  impliedPhoto(element: Element, isRoot: IsRoot): Json {
    return this.#implied(element, isRoot, [
      ['img', 'src'],
      ['object', 'data'],
    ])
  }

  impliedUrl(element: Element, isRoot: IsRoot): Json {
    return this.#implied(element, isRoot, [
      ['a', 'href'],
      ['area', 'href'],
    ])
  }

  /**
   * The link of the element itself, of its only child with a given name, or of such a child of its
   * only child.
   */
  #implied(
    element: Element,
    isRoot: IsRoot,
    kinds: readonly (readonly [name: string, attribute: string])[],
  ): Json {
    const has = (candidate: Element): boolean =>
      kinds.some(
        ([name, attribute]) =>
          candidate.name === name && candidate.attribs[attribute] !== undefined,
      )
    if (has(element)) return this.#ownLink(element)
    const child = onlyChild(element)
    for (const parent of [element, child !== null && !isRoot(child) ? child : null])
      for (const [name] of kinds) {
        const only = parent === null ? null : onlyChild(parent, name)
        if (only !== null && has(only) && !isRoot(only)) return this.#ownLink(only)
      }
    return null
  }
}

function visit(element: Element, enter: (node: ChildNode) => boolean): Parts<void> {
  return walkParts(element, enter, () => {})
}

function impliedText({ name, attribs }: Element): string | null {
  if (name === 'img' || name === 'area') return attribs['alt']?.trim() ?? null
  return name === 'abbr' ? (attribs['title']?.trim() ?? null) : null
}

/** The only child of an element, or the only one with a name. `null`: it has none, or several. */
function onlyChild(parent: Element, name?: string): Element | null {
  let only: Element | null = null
  for (const child of parent.children) {
    if (!isTag(child) || (name !== undefined && child.name !== name)) continue
    if (only !== null) return null
    only = child
  }
  return only
}
