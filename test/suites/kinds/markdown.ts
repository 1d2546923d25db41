import MarkdownIt from 'markdown-it'
import { parse } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import { isTag, isText } from 'domhandler'
import type { ChildNode, Element } from 'domhandler'
import { fieldOf, textPage } from '../page.ts'
import type { Case, Kind } from '../suite.ts'

/** HTML as Markdown: what it renders to has the outline of the page. */
export const markdownKinds: Readonly<Record<string, Kind>> = { markdown: { judge } }

const renderer = new MarkdownIt('commonmark', { html: true }).enable(['table', 'strikethrough'])

async function judge(one: Case): Promise<boolean> {
  const url = one.text('url')
  const page = textPage(`<!DOCTYPE html><body>${one.text('html')}</body>`, 'text/html', url)
  const markdown = await fieldOf({ css: 'body', as: 'markdown' }, page)
  const rendered = renderer.render(typeof markdown === 'string' ? markdown : '')
  return outline(rendered, url) === outline(one.text('rendered'), url)
}

/** Elements that count, with the name of their equivalent. */
const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'p ul ol li h1 h2 h3 h4 h5 h6 blockquote pre table tr td hr em strong del code a img br'
      .split(' ')
      .map((name) => [name, name]),
  ),
  b: 'strong',
  i: 'em',
  s: 'del',
  strike: 'del',
  var: 'code',
  kbd: 'code',
  samp: 'code',
  tt: 'code',
  th: 'td',
}
const BLOCKS = new Set('p ul ol li h1 h2 h3 h4 h5 h6 blockquote pre table tr td hr'.split(' '))
const MARKS = new Set(['em', 'strong', 'del', 'code'])
/** Elements with a meaning of their own, also without content. */
const VOID = new Set(['hr', 'br', 'img'])

/** A part of an outline: a text, or an element with its parts. */
type Part = string | { readonly name: string; readonly about: string; readonly parts: Part[] }

/** Writes the outline of HTML, so that two are equal where the text is. */
function outline(html: string, base: string): string {
  const document = parse(`<!DOCTYPE html><body>${html}</body>`, { treeAdapter: adapter })
  const root = document.children.find(isTag)
  return root === undefined ? '' : written(tidy(partsOf(root, base, false)))
}

function partsOf(parent: Element, base: string, isPre: boolean): Part[] {
  return parent.children.flatMap((child: ChildNode): Part[] => {
    if (isText(child)) return [isPre ? child.data : child.data.replaceAll(/\s+/g, ' ')]
    if (!isTag(child) || ['head', 'script', 'style', 'template'].includes(child.name)) return []
    const name = NAMES[child.name]
    const isCode = isPre || child.name === 'pre'
    const parts = partsOf(child, base, isCode)
    // The code of a block is part of the block.
    if (name === undefined || (isPre && name !== 'br')) return parts
    if (name === 'br' && isPre) return ['\n']
    if (name === 'p' && ['li', 'td', 'th'].includes(parent.name)) return parts
    if (name === 'a') {
      const href = address(child.attribs['href'], base)
      return href === null ? parts : [{ name, about: href, parts }]
    }
    if (name === 'img') {
      const source = address(child.attribs['src'], base)
      return source === null
        ? []
        : [
            {
              name,
              about: `${source} ${(child.attribs['alt'] ?? '').replaceAll(/\s+/g, ' ')}`,
              parts,
            },
          ]
    }
    return [{ name, about: '', parts }]
  })
}

/** An http address without its fragment; `null` for any other, and for the page itself. */
function address(href: string | undefined, base: string): string | null {
  const url = href === undefined ? null : URL.parse(href, base)
  if (url === null || !url.protocol.startsWith('http')) return null
  url.hash = ''
  return url.href === base ? null : url.href
}

/** Joins neighbours, leaves out empty parts, and joins nested equal elements. */
function tidy(parts: readonly Part[], around: readonly string[] = []): Part[] {
  const joint: Part[] = []
  for (const part of parts.flatMap((one) => tidied(one, around))) {
    const last = joint.at(-1)
    if (typeof part === 'string') {
      if (typeof last === 'string') joint[joint.length - 1] = last + part
      else joint.push(part)
    } else if (typeof last === 'object' && last.name === part.name && MARKS.has(part.name))
      last.parts.push(...part.parts)
    else joint.push(part)
  }
  return joint
}

function tidied(part: Part, around: readonly string[]): Part[] {
  if (typeof part === 'string') return part === '' ? [] : [part]
  if (MARKS.has(part.name) && around.includes(part.name)) return tidy(part.parts, around)
  const parts = tidy(part.parts, [...around, part.name])
  // `em` around `strong` is `strong` around `em`.
  const [only] = parts
  if (
    part.name === 'em' &&
    parts.length === 1 &&
    typeof only === 'object' &&
    only.name === 'strong'
  )
    return [{ ...only, parts: [{ ...part, parts: only.parts }] }]
  if (!VOID.has(part.name) && part.name !== 'td' && written(parts).trim() === '') return []
  if (
    part.name === 'tr' &&
    parts.every((cell) => typeof cell !== 'object' || cell.parts.length === 0)
  )
    return []
  return [{ ...part, parts }]
}

function written(parts: readonly Part[]): string {
  return parts
    .map((part) => ofPart(part))
    .join('')
    .replaceAll(/\s*(<\/?(?:p|ul|ol|li|h\d|blockquote|table|tr|td|hr|br)>)\s*/g, '$1')
    .replaceAll(/ +/g, ' ')
    .trim()
}

function ofPart(part: Part): string {
  if (typeof part === 'string') return part.replaceAll('<', '&lt;')
  const { name, about, parts } = part
  const inner =
    name === 'pre'
      ? text(parts)
          .replace(/^\n/, '')
          .trimEnd()
          .replaceAll(' ', '\u00a0')
          .replaceAll('\n', '\u2028')
      : parts.map(ofPart).join('')
  const tag = about === '' ? name : `${name} ${about}`
  return BLOCKS.has(name) ? `<${name}>${inner}</${name}>` : `<${tag}>${inner}</${tag}>`
}

function text(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : text(part.parts))).join('')
}
