import type { Snapshot, SnapshotFiles } from '../../../client.ts'
import { client } from '../session.ts'

/** Links have no address here, but should look like links. */
const BASE =
  ':where([data-seine-link]){color:LinkText;text-decoration:underline}img{min-width:8px;min-height:8px}'
/** Number of files in one request. */
const STEP = 8

type File = SnapshotFiles['items'][number]

/**
 * Adds the page's styles by script, because its policy forbids styles in its text. Then requests
 * the page's style sheets and pictures, and shows them when they arrive. Users can point at the
 * page without them, so failed ones are left out.
 *
 * @param shown Called when the page may have changed its shape
 */
export async function dressPage(
  page: Document,
  snapshot: Snapshot,
  signal: AbortSignal,
  shown: () => void,
): Promise<void> {
  let sheets: readonly File[] = []
  insertStyles(page, snapshot.styles, sheets)
  for (const element of page.querySelectorAll<HTMLElement>('[data-seine-style]'))
    element.style.cssText = element.getAttribute('data-seine-style') ?? ''
  shown()
  try {
    const files = client.value.snapshots.iterateFiles(snapshot.id, { limit: STEP }, { signal })
    for await (const file of files) {
      if (signal.aborted) return
      if (file.content === null) continue
      if (file.kind === 'style') insertStyles(page, snapshot.styles, (sheets = [...sheets, file]))
      else await show(page, file, file.content)
      shown()
    }
  } catch {
    // The page stays unchanged.
  }
}

/** Puts linked style sheets between those of the page, in the page's order. */
function insertStyles(page: Document, styles: readonly string[], linked: readonly File[]): void {
  const view: (Window & typeof globalThis) | null = page.defaultView
  if (view === null) return
  const textsAt = (position: number): string[] =>
    linked.flatMap((file) => (file.position === position ? [file.content ?? ''] : []))
  const texts = styles.flatMap((style, index) => [...textsAt(index), style])
  page.adoptedStyleSheets = [BASE, ...texts, ...textsAt(styles.length)].map((text) => {
    const sheet = new view.CSSStyleSheet()
    sheet.replaceSync(text)
    return sheet
  })
}

async function show(page: Document, file: File, address: string): Promise<void> {
  const images = file.elements.flatMap((index) => {
    const image = page.querySelector<HTMLImageElement>(`img[data-seine-index="${index}"]`)
    return image === null ? [] : [image]
  })
  for (const image of images) image.src = address
  // Then its size is known. A broken picture has the size of its symbol.
  await images[0]?.decode().catch(() => undefined)
}

/** The title of a page. Its text has only the entities that a serializer writes. */
export function titleOf(html: string): string {
  const element = html.indexOf('<title')
  if (element < 0) return ''
  return html
    .slice(html.indexOf('>', element) + 1, html.indexOf('</title', element))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')
    .split(/\s+/)
    .join(' ')
    .trim()
}
