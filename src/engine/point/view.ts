import { isTag, isText } from 'domhandler'
import type { Element } from 'domhandler'
import { GrowingText } from '../../kernel/text/long-text.ts'
import type { PageView } from '../../ports/page-processor.ts'
import type { Parts } from '../extract/page/in-turns.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { escapeAttribute, escapeText, VOID } from '../extract/tree/serialise.ts'
import { collapse, rawText, walkParts } from '../extract/tree/text-content.ts'
import { ViewFiles } from './view-files.ts'

/** Maximum number of elements that are shown. More make a browser slow. */
const MOST_ELEMENTS = 20_000
/** Maximum number of characters of the document, and of all style sheets. */
const MOST_CHARACTERS = 3_000_000
const MOST_STYLES = 600_000
/** Characters of one attribute. */
const MOST_VALUE = 2_000
/** Pictures inside the page may be longer. */
const MOST_PICTURE = 100_000
/** Maximum number of characters that one character of a text becomes in HTML: `&nbsp;`. */
const MOST_ESCAPED = 6

/** Elements that are removed with their content, because they run, load or are not visible. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'applet',
  'base',
  'embed',
  'frame',
  'frameset',
  'head',
  'iframe',
  'link',
  'math',
  'meta',
  'noframes',
  'noscript',
  'object',
  'param',
  'portal',
  'script',
  'source',
  'style',
  'template',
  'title',
  'track',
])
/** Elements that keep their tag. All others are shown as `div`. */
const KEPT: ReadonlySet<string> = new Set(
  (
    'a abbr address article aside b bdi bdo big blockquote body br button caption center cite code ' +
    'col colgroup data dd del details dfn div dl dt em fieldset figcaption figure font footer ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr html i img input ins kbd label legend li main mark menu ' +
    'meter nav ol optgroup option output p picture pre progress q rp rt ruby s samp search section ' +
    'select small span strike strong sub summary sup table tbody td textarea tfoot th thead time ' +
    'tr tt u ul var wbr svg g path rect circle ellipse line polyline polygon'
  ).split(' '),
)
/**
 * Attributes that style sheets select by, or that change the look. None of them loads or runs
 * anything.
 */
const ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'align alt bgcolor border cellpadding cellspacing checked class color cols colspan cx cy d dir ' +
    'fill height hidden high id itemprop lang low max min nowrap open optimum placeholder points r ' +
    'rel reversed role rows rowspan rx ry scope selected size start stroke stroke-width title type ' +
    'valign value viewbox width x x1 x2 y y1 y2'
  ).split(' '),
)
/** Matches further attributes that style sheets use: `[data-state=open]`. */
const OTHER_ATTRIBUTE = /^(?:aria|data)-[a-z\d-]{1,40}$/
/** Matches a name that HTML does not change. */
const PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif)[;,]/i

/** The document's own policy: nothing is loaded, even if a filter has missed something. */
const HEAD =
  '<meta charset="utf-8">' +
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:">'

/**
 * Returns a page for a user to look at: the engine's own tree as a document. It runs and loads
 * nothing, sends no forms and has no links. Style sheets and styles of elements are not part of it,
 * because a strict policy refuses them: the reader adds them by script (`adoptedStyleSheets`, and
 * `data-seine-style`).
 */
export function* viewParts(content: PageContent): Parts<PageView> {
  const { tree, budget } = content
  const html = new GrowingText()
  const styles: string[] = []
  let styleRoom = MOST_STYLES
  let elements = 0
  let isCut = false
  let title: string | null = null
  let iconEnd = -1
  const files = new ViewFiles(content)
  for (const element of tree.elements) {
    if (element.name === 'link') files.addLink(element)
    if (element.name === 'svg') iconEnd = Math.max(iconEnd, element.endIndex ?? -1)
    // The title in an icon belongs to the icon.
    if (element.name === 'title' && (element.startIndex ?? 0) > iconEnd)
      title ??= collapse(rawText(element, budget).slice(0, MOST_VALUE))
    if (element.name !== 'style' || styleRoom <= 0) continue
    files.passStyle()
    // The style is cut before addresses are removed, because each removal costs memory.
    const text = withoutAddresses(rawText(element, budget).slice(0, styleRoom)).slice(0, styleRoom)
    styleRoom -= text.length
    styles.push(text)
  }
  html.add(`<!doctype html><html><head>${HEAD}<title>${escapeText(title ?? '')}</title></head>`)
  yield
  yield* walkParts(
    tree.document,
    (node) => {
      const room = MOST_CHARACTERS - html.length
      if (isText(node)) {
        budget.work(1 + (Math.min(room, node.data.length) >> 2))
        const part = escapedWithin(node.data, room)
        html.add(part.html)
        isCut ||= part.isCut || html.length >= MOST_CHARACTERS
        return isCut ? null : true
      }
      if (!isTag(node)) return false
      if (node.name === 'html') return true
      if (LEFT_OUT.has(node.name)) return false
      const tag = elements < MOST_ELEMENTS ? openTag(node) : ''
      budget.work(8 + (tag.length >> 2))
      if (tag === '' || tag.length > room) {
        isCut = true
        return null
      }
      elements++
      html.add(tag)
      if (node.name === 'img') files.addPicture(node)
      if (node.children.length === 0 && !VOID.has(node.name)) html.add(`</${shownName(node)}>`)
      return true
    },
    (node) => {
      if (isTag(node) && node.name !== 'html') html.add(`</${shownName(node)}>`)
    },
  )
  return { html: html.toString(), styles, elements, isCut, files: files.all() }
}

/** Escapes the first part of a text. The part is shorter if the escaped text would exceed the room. */
function escapedWithin(text: string, room: number): { html: string; isCut: boolean } {
  const html = escapeText(text.slice(0, room))
  return html.length <= room
    ? { html, isCut: text.length > room }
    : { html: escapeText(text.slice(0, Math.floor(room / MOST_ESCAPED))), isCut: true }
}

function shownName({ name }: Element): string {
  return KEPT.has(name) ? name : 'div'
}

function openTag(element: Element): string {
  let tag = `<${shownName(element)} data-seine-index="${element.startIndex}"`
  for (const [attribute, value] of Object.entries(element.attribs)) {
    const name = attribute.toLowerCase()
    if (name === 'style') {
      const style = withoutAddresses(value.slice(0, MOST_VALUE))
      tag += ` data-seine-style="${escapeAttribute(style)}"`
    } else if (name === 'src' && PICTURE.test(value) && value.length <= MOST_PICTURE)
      tag += ` src="${escapeAttribute(value)}"`
    else if (name === 'href' && element.name === 'a') tag += ' data-seine-link=""'
    else if (ATTRIBUTES.has(name) || (OTHER_ATTRIBUTE.test(name) && !name.startsWith('data-seine')))
      tag += ` ${name}="${escapeAttribute(value.slice(0, MOST_VALUE))}"`
  }
  return `${tag}>`
}

const ADDRESS = /url\(\s*["']?(?!data:image\/(?:png|jpeg|gif|webp|avif)[;,])|image-set\(|src\(/gi

/**
 * Style without parts that load files: imports, and addresses of pictures and fonts outside the
 * page.
 */
export function withoutAddresses(css: string): string {
  return css.replace(/@import\b/gi, '@none').replace(ADDRESS, (address) => `none${address}`)
}
