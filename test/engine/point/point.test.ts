import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { describe, expect, it } from 'vitest'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../src/engine/extract/page/page-content.ts'
import { viewParts } from '../../../src/engine/point/view.ts'
import type { Page } from '../../../src/ports/page-processor.ts'

const pageOf = (text: string): Page => ({
  url: 'https://a.example/',
  contentType: 'text/html; charset=utf-8',
  body: new TextEncoder().encode(text),
})
const contentOf = (text: string, budget = new PageBudget()): PageContent =>
  new PageContent(pageOf(text), START, budget)

describe('a page that is shown for selection', () => {
  it('has no more characters than its bound, also if they become longer in HTML', () => {
    // Each `&` becomes five characters, so that the text is shorter than the bound, and its HTML not.
    const view = atOnce(viewParts(contentOf(`<div>${'&'.repeat(620_000)}`)))
    expect(view.isCut).toBe(true)
    expect(view.html.length).toBeLessThan(3_010_000)
  })

  it('has the whole of a text that fits, and is paid before it is made', () => {
    const text = 'a & b '.repeat(50_000)
    const budget = new PageBudget()
    const view = atOnce(viewParts(contentOf(`<p>${text}</p>`, budget)))
    expect(view.isCut).toBe(false)
    expect(view.html).toContain(text.replaceAll('&', '&amp;'))
    const { steps } = budget.spent
    expect(steps).toBeGreaterThan(text.length / 4)
  })

  it('has the title of the page, and nothing else of its head', () => {
    const head = '<title>Pens &amp; ink</title><meta name="x" content="y"><title>Other</title>'
    const { html } = atOnce(viewParts(contentOf(`<head>${head}</head><body><p>Text</p>`)))
    expect(html).toContain('<title>Pens &amp; ink</title></head>')
    expect(html).not.toContain('Other')
    expect(html).not.toContain('name="x"')
  })

  it('has no title of an icon', () => {
    const icon = '<svg><g><title>Menu</title></g></svg>'
    const titleOf = (html: string) =>
      /<title>([^<]*)/.exec(atOnce(viewParts(contentOf(html))).html)?.[1]
    expect(titleOf(`<body>${icon}<p>Text</p>`)).toBe('')
    expect(titleOf(`<body>${icon}<title>\n  Pens\n  and ink </title>`)).toBe('Pens and ink')
  })

  it('has no more of its style sheets than their bound', () => {
    const { styles } = atOnce(
      viewParts(contentOf(`<style>${'src('.repeat(200_000)}</style><style>a{}</style>`)),
    )
    expect(styles.join('').length).toBe(600_000)
  })
})
