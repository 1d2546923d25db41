import type { Element } from 'domhandler'
import type { PageFile } from '../../ports/page-processor.ts'
import { mediaAddress } from '../extract/media.ts'
import type { PageContent } from '../extract/page/page-content.ts'

/**
 * Maximum number of style sheets and pictures of a page that are offered. A person does not look at
 * more.
 */
const MOST_STYLES = 20
const MOST_PICTURES = 80
/** Elements that show one picture. */
const MOST_ELEMENTS = 100
/** Longer texts are hardly addresses. */
const MOST_ADDRESS = 2_000
const EMBEDDED = /^\s*data:/i
/** Characters that are allowed in `@media`. None of them can end the rule. */
const MEDIA = /^[\w\s(),:.\-/<>=]{1,200}$/

/** Collects the style sheets and pictures that a page would load. */
export class ViewFiles {
  readonly #content: PageContent
  readonly #styles: PageFile[] = []
  readonly #pictures = new Map<string, number[]>()
  #inline = 0

  constructor(content: PageContent) {
    this.#content = content
  }

  /** Counts a `style` that is part of the page, because the order of style sheets matters. */
  passStyle(): void {
    this.#inline++
  }

  /** Adds a `link`, if it leads to a style sheet. */
  addLink({ attribs }: Element): void {
    const { rel = '', href = '', media = '' } = attribs
    const kinds = rel.toLowerCase().split(/\s+/)
    if (!kinds.includes('stylesheet') || kinds.includes('alternate')) return
    if (this.#styles.length >= MOST_STYLES || 'disabled' in attribs) return
    const isForScreens = media === '' || MEDIA.test(media)
    if (!isForScreens || /^\s*print\s*$/i.test(media)) return
    const url = this.#resolve(href)
    if (url !== null)
      this.#styles.push({
        kind: 'style',
        url,
        elements: [],
        position: this.#inline,
        media: media.trim() || null,
      })
  }

  /** Adds an `img`. Its own address is preferred to larger ones for wide screens. */
  addPicture(element: Element): void {
    const { src = '' } = element.attribs
    const address =
      src.trim() !== '' && !EMBEDDED.test(src)
        ? src
        : mediaAddress(element, undefined, this.#content.budget)
    const url = address === null ? null : this.#resolve(address)
    if (url === null || element.startIndex === null) return
    const elements = this.#pictures.get(url)
    if (elements !== undefined) {
      if (elements.length < MOST_ELEMENTS) elements.push(element.startIndex)
    } else if (this.#pictures.size < MOST_PICTURES) this.#pictures.set(url, [element.startIndex])
  }

  /** Style sheets come first, because a page has no layout without them. */
  all(): PageFile[] {
    return [
      ...this.#styles,
      ...Array.from(this.#pictures, ([url, elements]): PageFile => ({
        kind: 'picture',
        url,
        elements,
        position: null,
        media: null,
      })),
    ]
  }

  #resolve(address: string): string | null {
    if (address.length > MOST_ADDRESS || EMBEDDED.test(address)) return null
    return this.#content.resolve(address)
  }
}
