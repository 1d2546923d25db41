/** A piece of HTML. A template escapes every other value. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A value in a template; `false` and `null` are omitted. */
export type HtmlPart = Html | string | number | false | null | readonly HtmlPart[]

/** Makes HTML from a template. Values that are not {@link Html} are escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(
    strings
      .map((text, index) => text + (index < parts.length ? write(parts[index] ?? null) : ''))
      .join(''),
  )
}

/** Text as paragraphs, with `code` marked. */
export function prose(text: string): Html {
  const paragraphs = text.split('\n\n').map((paragraph) => html`<p>${words(paragraph)}</p>`)
  return html`${paragraphs}`
}

/** {@link prose} of one line. */
export function words(text: string): Html {
  const pieces = text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`))
  return html`${pieces}`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function write(part: HtmlPart): string {
  if (part instanceof Html) return part.text
  if (part === false || part === null) return ''
  if (typeof part === 'object') return part.map(write).join('')
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
