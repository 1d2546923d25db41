import { SaxesParser } from 'saxes'

/** An element as a strict reader sees it. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  /** All text directly in it. */
  readonly text: string
  /** Elements and texts in their order. */
  readonly parts: readonly (XmlElement | string)[]
}

interface Open extends XmlElement {
  readonly children: XmlElement[]
  readonly parts: (XmlElement | string)[]
  text: string
}

/**
 * Reads a document.
 *
 * @throws {Error} for one that is not well-formed
 */
export function readXml(document: string): XmlElement {
  const parser = new SaxesParser()
  const root: Open = { name: '', attributes: {}, children: [], parts: [], text: '' }
  const open = [root]
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element: Open = { name, attributes, children: [], parts: [], text: '' }
    open.at(-1)?.children.push(element)
    open.at(-1)?.parts.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    const element = open.at(-1)
    if (!element) return
    element.text += text
    element.parts.push(text)
  })
  parser.on('closetag', () => void open.pop())
  parser.write(document).close()
  const [first] = root.children
  if (!first) throw new Error('there is no element')
  return first
}
