import { isTag, isText } from 'domhandler'
import type { ChildNode, Document, Element } from 'domhandler'
import { alike, isObject } from '../compare.ts'
import { htmlContent } from '../page.ts'
import type { Case, Kind, Value } from '../suite.ts'

/** The tree of a whole HTML document. */
export const treeKinds: Readonly<Record<string, Kind>> = { 'html-tree': { judge } }

function judge(one: Case): boolean {
  const tree = one.value('tree')
  if (!Array.isArray(tree)) return false
  return alike(ofNodes(htmlContent(one).tree.document, 0), ofExpected(tree, 0))
}

/** The engine's tree as a list: a name, attributes, children; joined texts between. */
function ofNodes(parent: Document | Element, depth: number): Value[] {
  const list = parent.children.flatMap((child: ChildNode): Value[] => {
    if (isText(child)) return [child.data]
    return isTag(child)
      ? [[plain(child.name), named(child.attribs), ...ofNodes(child, depth + 1)]]
      : []
  })
  return joined(list, depth)
}

function ofExpected(children: readonly Value[], depth: number): Value[] {
  const list = children.flatMap((child): Value[] => {
    if (!Array.isArray(child)) return [child]
    const [name, attributes, ...inner] = child
    if (typeof name !== 'string') return []
    // The content of a template is not below it for a selector either.
    if (name.startsWith('#')) return []
    return [
      [plain(name), named(isObject(attributes) ? attributes : {}), ...ofExpected(inner, depth + 1)],
    ]
  })
  return joined(list, depth)
}

/** `svg path` without its prefix and its case. */
function plain(name: string): string {
  return name.replace(/^(?:svg|math) /, '').toLowerCase()
}

function named(attributes: { readonly [name: string]: Value }): Value {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name.replace(/^(?:xlink|xml|xmlns)[ :](?=.)/, '').toLowerCase(),
      value,
    ]),
  )
}

/** Joins neighbouring texts. White space straight below `html` does not count. */
function joined(list: readonly Value[], depth: number): Value[] {
  const joint: Value[] = []
  for (const part of list) {
    const last = joint.at(-1)
    if (typeof part === 'string' && typeof last === 'string') joint[joint.length - 1] = last + part
    else joint.push(part)
  }
  return joint.filter(
    (part) => typeof part !== 'string' || (part !== '' && (depth > 1 || part.trim() !== '')),
  )
}
