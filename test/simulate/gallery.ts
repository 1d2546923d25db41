import { createHash } from 'node:crypto'

/** A host of pages with files, of which some have the same bytes. */
export const GALLERY = 'gallery.example.com'

const PAGES = 3
const FILES = 4
const COPIES = 3

/** An answer of the gallery. */
export interface GalleryAnswer {
  readonly type: string
  readonly body: string
}

/** The truth of one row. */
export interface Exhibit {
  readonly title: string
  readonly text: string
  /** Of its bytes. */
  readonly sha256: string
}

/** All that the gallery shows, on each of its pages. */
export const EXHIBITS: readonly (readonly Exhibit[])[] = Array.from({ length: PAGES }, (_, page) =>
  Array.from({ length: FILES }, (__, file) => {
    const text = textOf(page, file)
    const sha256 = createHash('sha256').update(text).digest('hex')
    return { title: `Exhibit ${page}-${file}`, text, sha256 }
  }),
)

export const GALLERY_START = `https://${GALLERY}/0`

/** Of all pages. */
export const GALLERY_RECIPE = {
  start: { urls: [GALLERY_START] },
  follow: [{ next: 'a.next' }],
  extract: {
    items: '.exhibit',
    fields: { title: 'b', file: { css: 'img', attr: 'src', as: 'media' } },
  },
} as const

/** `null`: there is nothing. */
export function answerGallery(path: string): GalleryAnswer | null {
  if (path === '/robots.txt') return { type: 'text/plain', body: '' }
  const [, page = '', file] = path.split('/')
  const exhibits = EXHIBITS[Number(page)]
  if (!exhibits) return null
  if (file !== undefined) {
    const text = exhibits[Number(file)]?.text
    return text === undefined ? null : { type: 'text/plain', body: text }
  }
  const shown = exhibits.map(
    ({ title }, index) => `<div class="exhibit"><b>${title}</b><img src="/${page}/${index}"></div>`,
  )
  const next =
    Number(page) + 1 < PAGES ? `<a class="next" href="/${Number(page) + 1}">next</a>` : ''
  return { type: 'text/html; charset=utf-8', body: `<!doctype html>${shown.join('')}${next}` }
}

/** Each third file is the same on all pages. */
function textOf(page: number, file: number): string {
  return file % COPIES === 0 ? `A file that each page has, ${file}` : `File ${file} of page ${page}`
}
