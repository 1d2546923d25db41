import { isTag, isText, type Element } from 'domhandler'
import { NO_ATTRIBUTES } from '../tree/tag-attributes.ts'

/**
 * The role of an element around the main content, by its own tag, role and names alone.
 *
 * - `content`: it does not say that it is beside the content.
 * - `beside`: it says so. Authors make mistakes, and a whole page may be in a form or in a `sidebar`
 *   layout, so such an element counts as content if it has half of the page's text.
 * - `comments`: the same for readers' comments. On a forum they are the content.
 * - `never`: no page has its content there.
 */
export type Placement = 'content' | 'beside' | 'comments' | 'never'

/** Elements that never contain the content of a page. */
const NEVER = new Set([
  'nav',
  'footer',
  'dialog',
  'button',
  'menu',
  'svg',
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'head',
  'title',
  'noembed',
  'noframes',
  'object',
  'datalist',
  'select',
  'textarea',
  'option',
])
const HEADING = /^h[1-6]$/
/** Maximum number of nodes in a heading that is a button. */
const MOST_BESIDE_BUTTON = 8
const BESIDE = new Set(['aside', 'form'])
const WHOLE = new Set(['html', 'body', 'main', 'article'])
const BESIDE_ROLE = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'dialog',
  'menu',
  'menubar',
  'toolbar',
  'alert',
  'alertdialog',
])
/** Grouped by first letter, so that a word is compared with few of them. */
const BESIDE_NAME = new RegExp(
  String.raw`(?:^|[\s_-])(?:a(?:ds?|dvert\w*|uthor-?(?:bio|box))|b(?:anner|readcrumbs?)|` +
    String.raw`c(?:omments?|onsent|ookies?)|d(?:isqus|-print-(?:block|flex|inline))|footer|gdpr|` +
    'm(?:asthead|enu|odal)|n(?:av|avbar|avigation|ewsletter|ext-?prev)|o(?:utbrain|verlay)|' +
    'p(?:ager|agination|opup|rev-?next|rint-?only|romo)|' +
    String.raw`re(?:commend\w*|lated)|s(?:creen-reader\w*|har(?:e|ing)|idebar|ignup|kip-?link|ocial|` +
    String.raw`ponsor\w*|r-only|ubscribe|ubscription)|t(?:aboola|ags|oolbar)|` +
    String.raw`visually-hidden)(?:$|[\s_-])`,
  'i',
)
/** Words of {@link BESIDE_NAME} that some pages give to the sections of their content. */
const SECTION_NAME = /(?<=^|[\s_-])(?:ads?|banner|promo)(?=$|[\s_-])/gi
const CONTENT_NAME = /(?:^|[\s_-])(?:article|main|content)(?:$|[\s_-])/i
const COMMENTS_NAME = /(?:^|[\s_-])(?:comments?|disqus)(?:$|[\s_-])/i
/** Questions for consent. They are never the content, however long they are. */
const CONSENT_NAME = new RegExp(
  String.raw`(?:^|[\s_-])(?:(?:cookie|consent|gdpr|privacy)s?-?(?:banner|bar|box|consent|dialog|law|` +
    'layer|manager|message|modal|notice|notification|overlay|policy-popup|popup|preferences|' +
    String.raw`settings|wall)|onetrust[\w-]*|ot-sdk-[\w-]*|cookiebot\w*|cmplz\w*|truste\w*|didomi\w*|` +
    String.raw`usercentrics\w*|qc-cmp2?|sp_message_container\w*|cky-consent\w*|iubenda-cs\w*)(?:$|` +
    String.raw`[\s_-](?!(?:accepted|active|closed|enabled|hidden|open|opened|shown|visible)))`,
  'i',
)
/** Parts of a name that refer to another element: `has-sidebar` is the column beside a sidebar. */
const MODIFIER = /(?:^|[\s_-])(?:has|with|no|without|hide|show|enable|is|not)-[\w-]*/gi
/** Number of characters up to which classes and ids are read. */
const NAME_LENGTH = 500
const HIDING_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i
/** React sends parts of a page in hidden elements with such an id, which a script moves. */
const STREAMED_ID = /^S:[0-9a-f]+$/

/** Returns the classes and the id of an element as one text, `''` without any. */
export function nameOf({ attribs }: Element): string {
  const classes = attribs['class']
  const id = attribs['id']
  const name = id === undefined ? (classes ?? '') : classes === undefined ? id : `${classes} ${id}`
  return name.length > NAME_LENGTH ? name.slice(0, NAME_LENGTH) : name
}

/**
 * Returns the placement of an element. `isInContent`: it is below an `<article>` or `<main>`.
 * `isPanel`: a tab or a button shows it, so it is content although it is hidden at first.
 */
export function placementOf(element: Element, isInContent: boolean, isPanel = false): Placement {
  const { name, attribs } = element
  if (NEVER.has(name)) return isHeadingButton(element) ? 'content' : 'never'
  if (WHOLE.has(name)) return 'content'
  // A header inside an article holds its title.
  const isBesideByTag = name === 'header' ? !isInContent : BESIDE.has(name)
  // Elements without attributes, which are half of all, return early, because each lookup takes
  // time.
  if (attribs === NO_ATTRIBUTES) return isBesideByTag ? 'beside' : 'content'
  if (attribs['aria-modal'] === 'true') return 'never'
  if (isBesideByTag || (!isPanel && isHidden(element))) return 'beside'
  if (name === 'header') return 'content'
  if (!isPanel && attribs['aria-hidden'] === 'true') return 'beside'
  const role = attribs['role']
  if (role !== undefined && BESIDE_ROLE.has(role.toLowerCase())) return 'beside'
  const names = nameOf(element)
  if (names === '') return 'content'
  if (CONSENT_NAME.test(names)) return 'never'
  if (!BESIDE_NAME.test(names)) return 'content'
  const plain = names.replace(MODIFIER, ' ')
  if (!BESIDE_NAME.test(plain) || CONTENT_NAME.test(plain)) return 'content'
  return COMMENTS_NAME.test(plain) ? 'comments' : 'beside'
}

/**
 * True for a button that contains all of a heading's text. It opens the part below the heading. A
 * button beside other text copies a link or edits the section.
 */
export function isHeadingButton(element: Element): boolean {
  const { name, parent } = element
  return (
    name === 'button' &&
    parent !== null &&
    isTag(parent) &&
    HEADING.test(parent.name) &&
    parent.children.length <= MOST_BESIDE_BUTTON &&
    parent.children.every(
      (child) =>
        child === element ||
        (isText(child) ? child.data.trim() === '' : !isTag(child) || isIcon(child)),
    )
  )
}

function isIcon({ name, children }: Element): boolean {
  return name === 'svg' || children.length === 0
}

/**
 * Returns the only word that says that an element is beside the content, if some pages use this
 * word for sections of their content. `null` otherwise.
 */
export function sectionWord(element: Element): string | null {
  if (BESIDE.has(element.name) || element.attribs['role'] !== undefined) return null
  const plain = nameOf(element).replace(MODIFIER, ' ')
  const [word] = plain.match(SECTION_NAME) ?? []
  return word === undefined || BESIDE_NAME.test(plain.replaceAll(SECTION_NAME, ' '))
    ? null
    : word.toLowerCase()
}

/** True for elements around the content: navigation, side columns, forms, dialogs, sharing buttons. */
export function isBeside(element: Element): boolean {
  return placementOf(element, element.name === 'header' && isBelowContent(element)) !== 'content'
}

/** True if the element's own attributes hide it. Rules of stylesheets are not read. */
export function isHidden({ attribs }: Element): boolean {
  if (Object.hasOwn(attribs, 'hidden')) return !STREAMED_ID.test(attribs['id'] ?? '')
  const style = attribs['style']
  return style !== undefined && HIDING_STYLE.test(style)
}

/**
 * Cached results for the parents of headers, so that each level is visited once, however many
 * headers it has.
 */
const belowContent = new WeakMap<Element, boolean>()

function isBelowContent(header: Element): boolean {
  const climbed: Element[] = []
  let isInside = false
  for (let above = header.parent; above !== null && isTag(above); above = above.parent) {
    const answer =
      above.name === 'article' || above.name === 'main' ? true : belowContent.get(above)
    if (answer !== undefined) {
      isInside = answer
      break
    }
    climbed.push(above)
  }
  for (const element of climbed) belowContent.set(element, isInside)
  return isInside
}
