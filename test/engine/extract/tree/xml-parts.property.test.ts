import fc from 'fast-check'
import { expect, test } from 'vitest'
import { XmlBuilder } from '../../../../src/engine/extract/tree/xml-builder.ts'
import { XmlReader } from '../../../../src/engine/extract/tree/xml-reader.ts'
import { TextParts } from '../../../../src/kernel/text/text-parts.ts'
import { dumpTree } from '../../../support/dump-tree.ts'

/** The tree of XML that is read in parts of so many characters. */
function treeIn(xml: string, part: number): string {
  const builder = new XmlBuilder()
  const reader = new XmlReader(new TextParts([xml]).divided(part), builder)
  for (const length of reader.windows()) expect(length).toBeLessThanOrEqual(part)
  builder.tree.closeAll()
  return dumpTree(builder.tree.document)
}

const PIECES = [
  '<a>',
  '</a>',
  '<b c="d &amp; e" f=\'g\'>',
  '</b>',
  '<b:c/>',
  '<a href = "x>y"/>',
  '<![CDATA[ <p> ]] ]]>',
  '<!-- <a> -- -->',
  '<?xml version="1.0"?>',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  'text &lt; &#233; &nbsp; &x',
  ' \n\t',
  '<',
  '>',
  '&',
  ']]>',
  '"',
  '=',
  '</',
  '<!',
  '<![CDATA[',
  '<!--',
  'é😀',
] as const

test('the tree of any XML is the same in parts of any length', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }),
      fc.integer({ min: 1, max: 50 }),
      (pieces, part) => {
        const xml = pieces.join('')
        expect(treeIn(xml, part)).toBe(treeIn(xml, xml.length + 1))
      },
    ),
    { numRuns: 5_000 },
  )
})
