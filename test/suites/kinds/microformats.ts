import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { microformatParts, relParts } from '../../../src/engine/extract/page/microformats.ts'
import { alike } from '../compare.ts'
import { htmlContent } from '../page.ts'
import type { Case, Kind, Value } from '../suite.ts'

/** Microformats, in the form that all their parsers write. */
export const microformatKinds: Readonly<Record<string, Kind>> = { microformats: { judge } }

function judge(one: Case): boolean {
  const page = htmlContent(one)
  const absolute = (href: string): string => page.nameOf(href)
  const items = atOnce(microformatParts(page.tree, page.budget, absolute)).flatMap(
    ({ value, isTop }) => (isTop ? [value] : []),
  )
  const actual: Value = JSON.parse(
    JSON.stringify({ items, ...atOnce(relParts(page.tree, page.budget, absolute)) }),
  )
  return alike(actual, {
    items: one.value('items') ?? [],
    rels: one.value('rels') ?? {},
    'rel-urls': one.value('rel-urls') ?? {},
  })
}
