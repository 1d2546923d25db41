import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PageBudget } from '../../../../src/engine/extract/page/page-budget.ts'
import { parseTree } from '../../../../src/engine/extract/tree/parse-tree.ts'
import { parseAsBrowser } from '../../../support/browser-tree.ts'
import { dumpTree } from '../../../support/dump-tree.ts'

const NAMES = (
  'span span span div b i a font p button li ul dd table td caption option ruby rp object h1 nobr ' +
  'form svg math mi desc foreignobject address x'
).split(' ')
const name = fc.constantFrom(...NAMES)

/** Tags that open hundreds of elements in each other, and others that search among these. */
const page = fc
  .tuple(
    fc.array(name, { minLength: 40, maxLength: 250, size: 'max' }),
    fc.array(
      fc.oneof(
        fc.tuple(name, fc.constantFrom('<', '</')).map(([tag, mark]) => `${mark}${tag}>`),
        fc.constantFrom('</b>', '</i>', '</a>', '</p>', '<td>', '<a>', 'x', '</span><b>', '<li>'),
      ),
      { maxLength: 100, size: 'max' },
    ),
  )
  .map(([outer, rest]) => `${outer.map((tag) => `<${tag}>`).join('')}${rest.join('')}`)

test('the tree of tags inside hundreds of open elements equals that of a browser', () => {
  fc.assert(
    fc.property(page, (tags) => {
      const html = `<!doctype html>${tags}`
      const { document } = parseTree(html, false, new PageBudget())
      expect(dumpTree(document), html).toBe(dumpTree(parseAsBrowser(html)))
    }),
    { numRuns: 1_000 },
  )
})
