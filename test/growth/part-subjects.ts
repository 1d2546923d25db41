import { atOnce } from '../../src/engine/extract/page/in-turns.ts'
import { jsonParts } from '../../src/engine/extract/page/json-parts.ts'
import { PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../src/engine/extract/page/page-content.ts'
import { collapseParts } from '../../src/engine/extract/tree/text-content.ts'
import { compileJsonPath } from '../../src/engine/extract/value/json-path.ts'
import { prepareContent } from '../../src/engine/extract/value/read-element.ts'
import { isTooDeep } from '../../src/kernel/json-depth.ts'
import { pageOf } from '../support/worlds/page-run.ts'
import { PAGES, TEXTS } from './families.ts'
import type { Subject } from './measure.ts'

const slices = compileJsonPath('$..[::2]')
const free = (): PageBudget => new PageBudget({ steps: Infinity, bytes: Infinity })

/** Reads JSON in short parts. `null`: it is not valid. */
function jsonInParts(text: string): unknown {
  const parts = jsonParts(text, { part: 1_000 })
  try {
    for (let step = parts.next(); ; step = parts.next()) if (step.done === true) return step.value
  } catch {
    return null
  }
}

/** Readers that are used only where there are no threads. */
export const PART_SUBJECTS: readonly Subject[] = [
  {
    name: 'JSON in parts',
    families: TEXTS,
    prepare: (text) => {
      const inner = JSON.stringify(text)
      const long = '1'.repeat(text.length)
      const zeros = `[0${',0'.repeat(text.length)}]`
      const nested = `{"a":[{"b":{"c":${inner},"n":${long},"e":${zeros}}}]}`
      const documents = [text, inner, nested].filter((document) => !isTooDeep(document))
      return () => documents.map(jsonInParts)
    },
  },
  {
    name: 'slices of a JSONPath in parts',
    families: TEXTS,
    prepare: (text, budget = free) => {
      const list = [...text]
      return () => atOnce(slices.parts(list, budget(), () => false))
    },
  },
  {
    name: 'white space in parts',
    families: TEXTS,
    prepare:
      (text, budget = free) =>
      () =>
        atOnce(collapseParts(text, budget())),
  },
  {
    name: 'the content of an element in parts',
    families: PAGES,
    prepare: (html, budget = free) => {
      const page = pageOf(html)
      return () => {
        const content = new PageContent(page, START, budget())
        const { root } = content.tree
        return root === null ? null : atOnce(prepareContent(root, undefined, content))
      }
    },
  },
]
