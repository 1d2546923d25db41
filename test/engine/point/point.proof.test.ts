import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { describe, expect, it } from 'vitest'
import { detect } from '../../../src/engine/extract/auto.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../src/engine/extract/page/page-content.ts'
import { candidateParts } from '../../../src/engine/point/candidates.ts'
import { viewParts } from '../../../src/engine/point/view.ts'
import type { Page } from '../../../src/ports/page-processor.ts'
import { cpuMs } from '../../support/cpu-ms.ts'

// Proves at full size that what is shown of a page, and the work for it, are bounded.

const pageOf = (text: string): Page => ({
  url: 'https://a.example/',
  contentType: 'text/html; charset=utf-8',
  body: new TextEncoder().encode(text),
})
const contentOf = (text: string): PageContent =>
  new PageContent(pageOf(text), START, new PageBudget())

it.each(['a', '&', '\u00a0', '<p>&"</p>', '<p title="&&&&&&&&&&&&">x'])(
  'a page of many "%s" is shown with no more characters than its bound',
  (text) => {
    const view = atOnce(viewParts(contentOf(`<div>${text.repeat(4_000_000 / text.length)}`)))
    expect(view.isCut).toBe(true)
    expect(view.html.length).toBeLessThan(3_010_000)
  },
)

describe('a long class of an element around all others is read once', () => {
  // None of these names can be used in a selector, so all of them are read.
  const names = 'ab1Cde '.repeat(285)
  const CPU_MS = 4_000

  it('by the lists of a chosen element', () => {
    const text = `<div class="${names}">${'<div>'.repeat(40)}${'</div>'.repeat(40)}${'<div></div>'.repeat(8_000)}`
    const began = cpuMs()
    expect(atOnce(candidateParts(contentOf(text), { elements: [40] })).lists).toHaveLength(1)
    expect(cpuMs() - began).toBeLessThan(CPU_MS)
  })

  it('by detection', () => {
    const text = `<div class="${names}">${'<div><p>a</p></div>'.repeat(120_000)}`
    const began = cpuMs()
    expect(detect(pageOf(text)).kind).toBe('page')
    expect(cpuMs() - began).toBeLessThan(2 * CPU_MS)
  })
})
