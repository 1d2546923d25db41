import fc from 'fast-check'

/** One change of a page's text. Places are shares of its length. */
export interface PageChange {
  readonly kind: 'cut' | 'repeat' | 'move' | 'insert'
  readonly at: number
  readonly length: number
  readonly to: number
  readonly text: string
}

const PIECES = [
  '<',
  '>',
  '"',
  "'",
  '</div>',
  '</script>',
  '<table>',
  '<a href="">',
  '<!--',
  '-->',
  '<template>',
  '<svg>',
  '<select>',
  '{"',
  '}]',
  '\\u',
  '\0',
  '\ud800',
  '&#x10ffff;',
  ' itemscope itemprop="a b"',
  ' class="comment h-entry e-content"',
  '<article><h1>',
]
const fraction = fc.double({ min: 0, max: 1, noNaN: true })

/** Lists of changes that authors, proxies and cut connections make to a page, and attackers. */
export const pageChanges: fc.Arbitrary<readonly PageChange[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('cut', 'repeat', 'move', 'insert'),
    at: fraction,
    length: fc.double({ min: 0, max: 0.2, noNaN: true }),
    to: fraction,
    text: fc.constantFrom(...PIECES),
  }),
  { minLength: 1, maxLength: 12 },
)

/** Makes the changes one after the other. */
export function mutatePage(page: string, changes: readonly PageChange[]): string {
  let text = page
  for (const { kind, at, length, to, text: piece } of changes) {
    const start = Math.floor(at * text.length)
    const end = Math.min(text.length, start + Math.floor(length * text.length))
    const part = text.slice(start, end)
    const target = Math.floor(to * text.length)
    if (kind === 'cut') text = text.slice(0, start) + text.slice(end)
    else if (kind === 'insert') text = text.slice(0, start) + piece + text.slice(start)
    // A page does not grow without end.
    else if (kind === 'repeat' && text.length < 3 * page.length)
      text = text.slice(0, target) + part + text.slice(target)
    else if (kind === 'move') {
      const rest = text.slice(0, start) + text.slice(end)
      text = rest.slice(0, target) + part + rest.slice(target)
    }
  }
  return text
}
