import type { Element } from 'domhandler'
import type { PageBudget } from './page/page-budget.ts'
import { textOf } from './tree/text-content.ts'
import { isList, isStructure } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { PageContent } from './page/page-content.ts'

/** Attributes with the address of elements other than images. The first that an element has is used. */
const ADDRESSES = ['src', 'href', 'xlink:href', 'data', 'content', 'url'] as const
/** Usual attribute names for the address of lazily loaded images. */
const LATE_SETS = ['data-srcset', 'data-lazy-srcset'] as const
const LATE = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy'] as const

/**
 * Returns the address of the bytes of an element, as written, or `null` without one. For an image
 * this is the largest candidate of `srcset`. If `src` is only a placeholder (a `data:` URL), it is
 * the address that scripts would load instead.
 */
export function mediaAddress(
  element: Element,
  attr: string | undefined,
  budget: PageBudget,
): string | null {
  if (attr !== undefined) {
    const value = attribute(element, attr)
    return value !== null && attr.endsWith('srcset') ? bestCandidate(value, budget) : value
  }
  switch (element.name) {
    case 'img':
    case 'source':
      return imageAddress(element, budget)
    case 'picture':
      return pictureAddress(element, budget)
    case 'video':
    case 'audio':
      return (
        attribute(element, 'src') ??
        firstOf(childrenOf(element, 'source'), (source) => imageAddress(source, budget))
      )
    default:
      return (
        firstOf(ADDRESSES, (name) => attribute(element, name)) ??
        (textOf(element, budget).trim() || null)
      )
  }
}

function imageAddress(element: Element, budget: PageBudget): string | null {
  const shown = candidateOf(element, ['srcset'], budget) ?? attribute(element, 'src')
  if (shown !== null && !/^\s*data:/i.test(shown)) return shown
  return (
    candidateOf(element, LATE_SETS, budget) ??
    firstOf(LATE, (name) => attribute(element, name)) ??
    shown
  )
}

/**
 * The image's own candidates come before those of the sources, because each source is for one kind
 * of screen or format.
 */
function pictureAddress(element: Element, budget: PageBudget): string | null {
  const [image] = childrenOf(element, 'img')
  const setAddress = image ? candidateOf(image, ['srcset', ...LATE_SETS], budget) : null
  return (
    setAddress ??
    firstOf(childrenOf(element, 'source'), (source) =>
      candidateOf(source, ['srcset', ...LATE_SETS], budget),
    ) ??
    (image ? imageAddress(image, budget) : null)
  )
}

function candidateOf(
  element: Element,
  names: readonly string[],
  budget: PageBudget,
): string | null {
  return firstOf(names, (name) => {
    const set = attribute(element, name)
    return set === null ? null : bestCandidate(set, budget)
  })
}

function childrenOf(element: Element, name: string): Element[] {
  return element.children.filter(
    (child): child is Element => 'name' in child && child.name === name,
  )
}

/** Returns an attribute's value. An empty attribute counts as missing. */
function attribute(element: Element, name: string): string | null {
  const value = Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined
  return value === undefined || value.trim() === '' ? null : value
}

function firstOf<T>(all: readonly T[], read: (candidate: T) => string | null): string | null {
  for (const candidate of all) {
    const value = read(candidate)
    if (value !== null) return value
  }
  return null
}

const MAX_LENGTH = 100_000
const MAX_CANDIDATES = 100
const DESCRIPTOR = /(?:^|\s)(\d+(?:\.\d+)?)([wx])(?:\s|$)/

/**
 * Returns the URL of the largest image in a `srcset`: the widest, else the densest, the first of
 * equals (HTML Standard, image candidate strings). `null` if there is no candidate, or if the text
 * is too long, which is reported as a cut of the page.
 */
export function bestCandidate(srcset: string, budget: PageBudget): string | null {
  if (srcset.length > MAX_LENGTH) {
    budget.cut('characters of a srcset', MAX_LENGTH)
    return null
  }
  let best: { readonly url: string; readonly size: number } | null = null
  let position = 0
  for (let read = 0; ; read++) {
    while (position < srcset.length && /[\s,]/.test(srcset.charAt(position))) position++
    if (position === srcset.length) break
    if (read === MAX_CANDIDATES) {
      budget.cut('candidates of a srcset', MAX_CANDIDATES)
      break
    }
    const start = position
    while (position < srcset.length && !/\s/.test(srcset.charAt(position))) position++
    const candidate = srcset.slice(start, position)
    const url = candidate.replace(/(?<!,),+$/, '')
    const end = url.length < candidate.length ? position : endOfDescriptors(srcset, position)
    const size = sizeOf(srcset.slice(position, end))
    position = end
    if (best === null || size > best.size) best = { url, size }
  }
  return best?.url ?? null
}

/** A comma inside parentheses is part of a descriptor. */
function endOfDescriptors(srcset: string, from: number): number {
  let depth = 0
  for (let position = from; position < srcset.length; position++) {
    const char = srcset.charAt(position)
    if (char === '(') depth++
    else if (char === ')') depth = Math.max(0, depth - 1)
    else if (char === ',' && depth === 0) return position
  }
  return srcset.length
}

/**
 * A valid `srcset` does not mix widths and densities. If it does, a width is the larger number
 * anyway.
 */
function sizeOf(descriptors: string): number {
  return Number(DESCRIPTOR.exec(descriptors)?.[1] ?? 1)
}

/** Bytes that a reference takes besides its URL. */
const MEDIA_BYTES = 32
/** A longer `data:` URL is too large for a row. */
const MAX_DATA_URL = 8 * 1024 * 1024

/**
 * Returns a media field's value before its bytes are downloaded: their URL. A worker replaces it
 * with the stored media. Without a worker, as in a preview, this is the final value. `null` if the
 * address is neither http(s) nor `data:`.
 */
export function mediaReference(address: string, page: PageContent): Json {
  const trimmed = address.trim()
  if (trimmed === '') return null
  const isData = /^data:/i.test(trimmed)
  if (isData && trimmed.length > MAX_DATA_URL)
    page.budget.cut('characters of a data: URL', MAX_DATA_URL)
  const sourceUrl = isData
    ? trimmed.length > MAX_DATA_URL
      ? null
      : trimmed
    : page.resolve(trimmed)
  if (sourceUrl === null) return null
  page.budget.make(MEDIA_BYTES + sourceUrl.length)
  return { sourceUrl }
}

/**
 * Returns the address in a JSON value: a text, an object's `url` or `contentUrl` (schema.org), or
 * the first of a list that has one.
 */
export function mediaOfJson(value: Json, page: PageContent): Json {
  if (typeof value === 'string') return mediaReference(value, page)
  if (!isStructure(value)) return null
  const inside = isList(value) ? value : [value['contentUrl'], value['url'], value['@id']]
  for (const part of inside) {
    const media =
      part === undefined || (!isList(value) && typeof part === 'object')
        ? null
        : mediaOfJson(part, page)
    if (media !== null) return media
  }
  return null
}
