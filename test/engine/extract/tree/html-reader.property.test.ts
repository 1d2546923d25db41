import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import fc from 'fast-check'
import { Tokenizer } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import { HtmlReader } from '../../../../src/engine/extract/tree/html-reader.ts'
import { NO_ATTRIBUTES } from '../../../../src/engine/extract/tree/tag-attributes.ts'
import type {
  ElementAttributes,
  TokenSink,
} from '../../../../src/engine/extract/tree/token-sink.ts'
import { TextParts } from '../../../../src/kernel/text/text-parts.ts'

/** The calls that a sink gets, in order. The sink is in SVG from `<svg>` to `</svg>`. */
class Tokens implements TokenSink {
  readonly list: unknown[] = []
  foreign = false
  finished = false
  /**
   * True if there was a CDATA section in HTML, which a browser ends at the first `>`, or one
   * without an end.
   */
  hasOtherCdata = false
  readonly #most: number

  constructor(most = Infinity) {
    this.#most = most
  }

  open(name: string, attributes: ElementAttributes, selfClosing: boolean): boolean {
    this.list.push(['open', name, Object.entries(attributes), selfClosing])
    const isHtml = !this.foreign
    if (name === 'svg' && !selfClosing) this.foreign = true
    this.finished = this.list.length >= this.#most
    return isHtml
  }

  close(name: string): void {
    this.list.push(['close', name])
    if (name === 'svg') this.foreign = false
    this.finished = this.list.length >= this.#most
  }

  text(data: string): void {
    this.list.push(['text', data])
  }

  doctype(declaration: string): void {
    this.list.push(['doctype', declaration])
  }
}

const RAW = /^(?:script|style|xmp|iframe|noembed|noframes|plaintext)$/

const lower = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Reads the tokens by htmlparser2, which looks at each character by itself. */
function readByTokenizer(source: string, sink: Tokens): void {
  let [name, attribute, value] = ['', '', '']
  let attributes: [string, string][] = []
  let isRaw = false
  let [start, last] = [0, 0]
  let before = ''
  const takeText = (): string => {
    const text = source.slice(start, last)
    start = last
    return isRaw ? text : decodeHTML(text)
  }
  const giveText = (): void => {
    const text = before + takeText()
    before = ''
    if (text !== '') sink.text(text)
  }
  const open = (selfClosing: boolean): void => {
    isRaw = !sink.foreign && RAW.test(name)
    const values: ElementAttributes = {}
    // The first of a name counts; a member that all objects have is not a name of an attribute.
    for (const [key, text] of attributes.toReversed()) values[key] = text
    const own = attributes
      .filter(([key], index) => attributes.findIndex(([other]) => other === key) === index)
      .map(([key]) => [key, values[key] ?? ''] as const)
    sink.open(name, own.length > 0 ? Object.fromEntries(own) : NO_ATTRIBUTES, selfClosing)
    if (sink.finished) tokenizer.pause()
  }
  const tokenizer: Tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname(from, end) {
        giveText()
        name = lower(source.slice(from, end))
        attributes = []
      },
      onattribname(from, end) {
        attribute = lower(source.slice(from, end))
        value = ''
      },
      onattribdata: (from, end) => void (value = decodeHTMLAttribute(source.slice(from, end))),
      onattribend: () => void attributes.push([attribute, value]),
      onopentagend: () => open(false),
      onselfclosingtag: () => open(true),
      onclosetag(from, end) {
        giveText()
        isRaw = false
        sink.close(lower(source.slice(from, end)))
        if (sink.finished) tokenizer.pause()
      },
      ontext(from, end) {
        if (from < 0) return
        // A `</>` in a text does not end it.
        if (from !== last) {
          before += takeText()
          start = from
        }
        last = end
      },
      oncdata(from, end, offset) {
        giveText()
        if (sink.foreign) sink.text(source.slice(from, end - offset))
        else sink.hasOtherCdata = true
      },
      ondeclaration(from, end) {
        giveText()
        sink.doctype(source.slice(from, end))
      },
      oncomment(from) {
        giveText()
        sink.hasOtherCdata ||= source.startsWith('[CDATA[', from)
        sink.text('')
      },
      isInForeignContext: () => sink.foreign,
      onprocessinginstruction() {},
      onattribentity() {},
      ontextentity() {},
      onend() {},
    },
  )
  tokenizer.write(source)
  tokenizer.end()
  giveText()
}

function tokens(parts: readonly string[], most?: number): unknown[] {
  const sink = new Tokens(most)
  new HtmlReader(new TextParts(parts), sink).read()
  return sink.list
}

function expected(source: string, most?: number): unknown[] {
  const sink = new Tokens(most)
  readByTokenizer(source, sink)
  fc.pre(!sink.hasOtherCdata)
  return sink.list
}

/** The pieces of a text that is divided at shares of its length. */
function divide(text: string, cuts: readonly number[]): string[] {
  const borders = cuts.map((cut) => Math.round((cut * text.length) / 1_000))
  const ends = [...borders.toSorted((a, b) => a - b), text.length]
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
}

/**
 * Of a page that ends in such a tag htmlparser2 makes text or the end of an element, and a browser
 * makes nothing.
 */
const ENDS_IN_TAG = /<(?:[a-z]+|\/[a-z][^>]*)$/i

/** In a comment of a script, htmlparser2 ends another script too early. */
const SCRIPT_IN_SCRIPT = /<script[\s\S]*<!--[\s\S]*<script/i

const mark = fc.constantFrom(
  ...'<>/!?-="\'[]&; \n\t\f',
  ...'abdpsxESÉ0',
  '</',
  '<!',
  '<!-',
  '<!--',
  '--',
  '-->',
  '--!>',
  '<![CDATA[',
  ']]>',
  '<!doctype html>',
  '<!DOCTYPE',
  '<?',
  '&amp;',
  '&amp',
  '&#65;',
  '<p>',
  '<br/>',
  '<br / >',
  '<a href="x">',
  "<a href='x' b c=d e = f>",
  '<A HREF=x/>',
  '<a b=1 b=2 É=3>',
  '<AÉ BÉ>',
  '</p>',
  '</P x="y">',
  ...['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes'].flatMap(
    (name) => [
      `<${name}>`,
      `<${name} a=b/>`,
      `</${name}>`,
      `</${name}`,
      `</${name.toUpperCase()} `,
    ],
  ),
  '<plaintext>',
  '<svg>',
  '</svg>',
  '<scripts>',
  '</scripts>',
)
const source = fc.array(mark, { maxLength: 14 }).map((list) => list.join(''))
const cuts = fc.array(fc.nat(1_000), { maxLength: 6 })

describe('the tokens of HTML are those of htmlparser2', () => {
  test('for any mix of marks, wherever the source is divided', () => {
    fc.assert(
      fc.property(source, cuts, (text, shares) => {
        fc.pre(!ENDS_IN_TAG.test(text) && !SCRIPT_IN_SCRIPT.test(text))
        expect(tokens(divide(text, shares)), text).toEqual(expected(text))
      }),
      { numRuns: 40_000 },
    )
  })

  test('up to the token at which the sink needs no more', () => {
    fc.assert(
      fc.property(source, cuts, fc.nat(6), (text, shares, most) => {
        fc.pre(!ENDS_IN_TAG.test(text) && !SCRIPT_IN_SCRIPT.test(text))
        expect(tokens(divide(text, shares), most), text).toEqual(expected(text, most))
      }),
      { numRuns: 10_000 },
    )
  })

  test('for names whose places in the table are the same', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `x${index.toString(36)}`)
    const text = [...names, ...names.toReversed()]
      .map((name) => `<${name} ${name}=a data-${name.toUpperCase()}>`)
      .join('')
    expect(tokens([text])).toEqual(expected(text))
  })

  test.each(['<p>a<script', '<p>a<p', '<p>a<TITLE', '<p>a</p', '<p>a</p ', '<p>a</p x="'])(
    'but a page that ends in a tag ends before it: %s',
    (text) => {
      expect(tokens([text])).toEqual([
        ['open', 'p', [], false],
        ['text', 'a'],
      ])
    },
  )
})
