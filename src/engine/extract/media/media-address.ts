import type { Element } from 'domhandler'
import type { PageBudget } from '../page/page-budget.ts'
import { textOf } from '../tree/text-content.ts'
import { bestCandidate } from './best-candidate.ts'

/** Where elements other than images say what they show or lead to; the first that an element has. */
const ADDRESSES = ['src', 'href', 'xlink:href', 'data', 'content', 'url'] as const
/** Where scripts that load images late keep the address; the usual names. */
const LATE_SETS = ['data-srcset', 'data-lazy-srcset'] as const
const LATE = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy'] as const

/**
 * The address of the bytes that an element stands for, as written; `null` if it names none. Of an
 * image it is the largest candidate of `srcset`; where `src` is only a placeholder (a `data:` URL),
 * what scripts would load instead of it.
 */
export function mediaAddress(
  element: Element,
  attr: string | undefined,
  budget: PageBudget,
): string | null {
  if (attr !== undefined) {
    const value = attribute(element, attr)
    return value !== null && attr.endsWith('srcset') ? bestCandidate(value) : value
  }
  switch (element.name) {
    case 'img':
    case 'source':
      return imageAddress(element)
    case 'picture':
      return pictureAddress(element)
    case 'video':
    case 'audio':
      return attribute(element, 'src') ?? firstOf(childrenOf(element, 'source'), imageAddress)
    default:
      return (
        firstOf(ADDRESSES, (name) => attribute(element, name)) ??
        (textOf(element, budget).trim() || null)
      )
  }
}

function imageAddress(element: Element): string | null {
  const shown = candidateOf(element, ['srcset']) ?? attribute(element, 'src')
  if (shown !== null && !/^\s*data:/i.test(shown)) return shown
  return (
    candidateOf(element, LATE_SETS) ?? firstOf(LATE, (name) => attribute(element, name)) ?? shown
  )
}

/**
 * The image's own candidates before those of the sources: these are for one kind of screen or
 * format each.
 */
function pictureAddress(element: Element): string | null {
  const [image] = childrenOf(element, 'img')
  const own = image ? candidateOf(image, ['srcset', ...LATE_SETS]) : null
  return (
    own ??
    firstOf(childrenOf(element, 'source'), (source) =>
      candidateOf(source, ['srcset', ...LATE_SETS]),
    ) ??
    (image ? imageAddress(image) : null)
  )
}

function candidateOf(element: Element, names: readonly string[]): string | null {
  return firstOf(names, (name) => {
    const set = attribute(element, name)
    return set === null ? null : bestCandidate(set)
  })
}

function childrenOf(element: Element, name: string): Element[] {
  return element.children.filter(
    (child): child is Element => 'name' in child && child.name === name,
  )
}

/** An empty attribute names nothing. */
function attribute(element: Element, name: string): string | null {
  const value = Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined
  return value === undefined || value.trim() === '' ? null : value
}

function firstOf<T>(all: readonly T[], read: (one: T) => string | null): string | null {
  for (const one of all) {
    const found = read(one)
    if (found !== null) return found
  }
  return null
}
