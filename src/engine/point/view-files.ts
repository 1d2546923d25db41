import type { Element } from 'domhandler'
import type { PageFile } from '../../ports/page-processor.ts'
import { mediaAddress } from '../extract/media.ts'
import type { PageContent } from '../extract/page/page-content.ts'

/** Style sheets and pictures of a page that are offered; a person looks at no more. */
const MOST_STYLES = 20
const MOST_PICTURES = 80
/** Elements that show one picture. */
const MOST_ELEMENTS = 100
/** A longer address is hardly one. */
const MOST_ADDRESS = 2_000
const EMBEDDED = /^\s*data:/i
/** Characters that may stand in `@media`: none that ends the rule. */
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

  /** Notes a `style` that is part of the page. The order of style sheets has a meaning. */
  passStyle(): void {
    this.#inline++
  }

  /** Notes a `link`, if it is to a style sheet. */
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

  /** Notes an `img`. The address that it names comes before larger ones for wide screens. */
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

  /** Style sheets first: without them a page has no shape. */
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
