import { isTag, isText, type ParentNode } from 'domhandler'

/** A tree as text, without white space directly below `html`, comments and the document type. */
export function dumpTree(node: ParentNode): string {
  let out = ''
  let text = ''
  for (const child of node.children) {
    if (isText(child)) {
      text += child.data
      continue
    }
    if (!isTag(child)) continue
    if (text !== '' && !(isTag(node) && node.name === 'html')) out += JSON.stringify(text)
    text = ''
    const attributes = Object.entries(child.attribs)
      .map(([name, value]) => ` ${name}=${value}`)
      .toSorted()
      .join('')
    out += `<${child.name}${attributes}>${dumpTree(child)}</>`
  }
  return text !== '' && !(isTag(node) && node.name === 'html') ? out + JSON.stringify(text) : out
}
