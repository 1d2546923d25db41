import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileRecipe, openRowWork, parseRecipe, preparePage } from '../../src/engine.ts'
import type { Json } from '../../src/kernel/json.ts'
import type {
  OpenRecipe,
  Page,
  PageProcessor,
  PageResult,
  Visit,
} from '../../src/ports/page-processor.ts'

const FIELDS: Json = {
  start: { urls: ['https://shop.example/'] },
  follow: [{ links: 'a', as: 'detail' }, { next: 'a[rel=next]' }],
  extract: {
    fields: {
      title: 'h1',
      price: { css: '.price', as: 'number' },
      notes: { css: 'li', many: true },
      name: { jsonld: '$..name' },
      at: { url: true },
    },
  },
}
const ITEMS: Json = {
  start: { urls: ['https://shop.example/'] },
  extract: {
    items: 'li, tr',
    fields: { text: { css: 'b, td' }, link: { css: 'a', attr: 'href', as: 'url' } },
  },
}
const FORMATS: Json = {
  start: { urls: ['https://shop.example/'] },
  crawl: { scope: 'host' },
  formats: ['text', 'markdown', 'links', 'metadata'],
}
const RECORDS: Json = {
  start: { urls: ['https://shop.example/'] },
  follow: [{ links: '$[*].url' }],
  extract: { items: '$[*]', fields: { name: '$.name', price: { json: '$.price', as: 'number' } } },
}
const ASKING: Json = {
  start: { urls: ['https://shop.example/'] },
  extract: { items: 'li', fields: { text: 'b', kind: { model: 'What it is' } } },
}
const RECIPES = [FIELDS, ITEMS, FORMATS, RECORDS, ASKING]

const START: Visit = { label: 'start', depth: 0, hop: 1 }
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const pageOf = (body: string | Uint8Array, contentType = 'text/html'): Page => ({
  url: 'https://shop.example/a/b',
  contentType,
  body: typeof body === 'string' ? encode(body) : body,
})
const product = (number: number): Page =>
  pageOf(
    `<h1>Net ${number}</h1><p class=price>${number}.50</p><ul>` +
      `${'<li><b>mesh</b> and cork</li>'.repeat(100 + number)}</ul><a href="/item/${number}` +
      '">more</a>',
  )
const expected = (recipe: Json, page: Page, visit: Visit = START): PageResult =>
  compileRecipe(parseRecipe(recipe)).process(page, visit)

/** Opens a recipe and takes the digest, which a processor may leave out, from its results. */
function openOn(
  processor: PageProcessor,
  ...how: Parameters<PageProcessor['open']>
): Pick<OpenRecipe, 'process' | 'isShell' | 'close'> {
  const open = processor.open(...how)
  return {
    isShell: (...question) => open.isShell(...question),
    close: () => open.close(),
    async process(page, ...question) {
      const { digest, ...result } = await open.process(page, ...question)
      if (digest !== undefined)
        expect(digest).toBe(createHash('sha256').update(page.body).digest('hex'))
      return result
    },
  }
}

const HOSTILE: readonly Page[] = [
  pageOf(''),
  pageOf('<div>'.repeat(50_000)),
  pageOf('<table><tr><td>'.repeat(3_000)),
  pageOf(`<p ${'a=b '.repeat(20_000)}>`),
  pageOf('<!--'.repeat(20_000)),
  pageOf(
    (
      '<script type="application/ld+json">{"name":"__proto__","__proto__":{"name":1}}' +
      '</script><h1>&#0;&#xD800;\u{1f41f}</h1>'
    ).padEnd(5_000),
  ),
  pageOf('['.repeat(10_000), 'application/json'),
  pageOf('{"name":1e999,"list":[-0,null]}'.padEnd(5_000), 'application/json'),
  pageOf(
    Uint8Array.from({ length: 8_000 }, (_, index) => (index * 7_919) % 256),
    '',
  ),
  pageOf('\u0000\uffff'.repeat(2_000), 'text/plain; charset=x-unknown'),
  {
    ...pageOf('%PDF-1.7'.padEnd(5_000), 'application/pdf'),
    document: {
      title: 'A file',
      author: null,
      date: null,
      language: null,
      pages: 2,
      pagesRead: 2,
      text: 'one\n\n[page 2]\n\ntwo',
      texts: ['one', 'two'],
    },
  },
  pageOf(
    '<urlset><url><loc>https://shop.example/x</loc></url></urlset>'.repeat(99),
    'application/xml',
  ),
]

/**
 * The tests that every PageProcessor must pass. `make` returns a new one that is ready to work; it
 * is called twice.
 *
 * @example
 *   import { createPageThreads } from 'seine/node'
 *
 *   pageProcessorContract('My threads', async () => createPageThreads())
 */
export function pageProcessorContract(subject: string, make: () => Promise<PageProcessor>): void {
  describe(`${subject} keeps the PageProcessor contract`, () => {
    let processor: PageProcessor

    beforeAll(async () => void (processor = await make()))
    afterAll(async () => {
      await processor.close()
      await processor.close() // A second close does no harm.
    })

    it('gives the same result as the plan, for any page', async () => {
      const open = RECIPES.map((recipe) => openOn(processor, recipe))
      const markup = fc.array(
        fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 20, size: 'max' }),
          fc.constantFrom(
            '<li>',
            '<b>',
            '<a href="/x">',
            '<a rel=next href="?p=2">',
            '</',
            '<h1>',
            '<td>',
            '<p class=price>1.234,50',
            '&amp;',
            '<!-- ',
            '-->',
            '<script>',
            '</script>',
            '<base href="https://other.example/">',
          ),
        ),
        { maxLength: 60, size: 'max' },
      )
      const pages = fc.oneof(
        markup.map((parts) => pageOf(parts.join('').padEnd(3_000))),
        fc.json({ maxDepth: 5 }).map((text) => pageOf(text.padEnd(3_000), 'application/json')),
        fc
          .array(
            fc.constantFrom(
              'name',
              'price',
              'url',
              ',',
              ',',
              '\n',
              '"',
              '""',
              '1.5',
              '/x',
              'https://a.example/',
            ),
            { maxLength: 40, size: 'max' },
          )
          .map((parts) =>
            pageOf(`name,price,url\n${parts.join('')}${'\ncork,2,/c'.repeat(300)}`, 'text/csv'),
          ),
        fc.uint8Array({ minLength: 2_500, maxLength: 5_000 }).map((bytes) => pageOf(bytes, '')),
      )
      const visits = fc.record({
        label: fc.constantFrom('start', 'detail'),
        depth: fc.nat(3),
        hop: fc.integer({ min: 1, max: 3 }),
      })
      await fc.assert(
        fc.asyncProperty(pages, visits, async (page, visit) => {
          const results = await Promise.all(open.map((recipe) => recipe.process(page, visit)))
          await preparePage(page)
          expect(results).toEqual(RECIPES.map((recipe) => expected(recipe, page, visit)))
        }),
        { numRuns: 60 },
      )
      for (const recipe of open) recipe.close()
    })

    it('gives the same result as the plan, for hostile pages', async () => {
      for (const recipe of RECIPES) {
        const open = openOn(processor, recipe)
        for (const page of HOSTILE)
          expect(await open.process(page, START)).toEqual(expected(recipe, page))
        open.close()
      }
    })

    it('does not change the body, also if it is a part of a larger buffer', async () => {
      const { body } = product(7)
      const larger = new Uint8Array(body.length + 20).fill(60)
      larger.set(body, 10)
      const open = openOn(processor, FIELDS)
      for (const view of [body, larger.subarray(10, 10 + body.length)]) {
        expect(await open.process({ ...product(7), body: view }, START)).toEqual(
          expected(FIELDS, product(7)),
        )
        expect(view.length).toBe(body.length)
        expect(Buffer.compare(view, product(7).body)).toBe(0)
      }
      open.close()
    })

    it('processes a page with the rest of the budget that an earlier question of its visit has left', async () => {
      const limits = { steps: 1_000_000, bytes: 1_000_000 }
      const open = openOn(processor, FIELDS, { limits })
      const { isShell, spent } = await open.isShell(product(1), START)
      expect([isShell, spent.steps >= 0 && spent.bytes >= 0]).toEqual([false, true])
      expect((await open.process({ ...product(1), spent }, START)).overrun).toBeUndefined()
      const result = await open.process({ ...product(1), spent: { ...limits, bytes: 0 } }, START)
      expect(result.overrun).toMatchObject({ what: 'steps', limit: limits.steps })
      open.close()
    })

    it('reads no other members of a visit than the port names', async () => {
      const open = openOn(processor, FIELDS)
      const entry = { ...START, execution: 'e', keep: () => 'what no thread could be sent' }
      expect(await open.process(product(1), entry)).toEqual(expected(FIELDS, product(1)))
      open.close()
    })

    it('answers 200 pages at the same time, each with its own result', async () => {
      const open = RECIPES.map((recipe) => openOn(processor, recipe))
      const jobs = Array.from({ length: 200 }, (_, index) => ({
        which: (index * 7) % 3,
        page: product(index % 40),
      }))
      const results = await Promise.all(
        jobs.map(({ which, page }) => open[which]?.process(page, START)),
      )
      expect(results).toEqual(jobs.map(({ which, page }) => expected(RECIPES[which] ?? null, page)))
      for (const recipe of open) recipe.close()
    })

    it('refuses a wrong recipe page by page', async () => {
      const wrong = openOn(processor, {
        start: { urls: ['https://shop.example/'] },
        extract: { fields: { title: 'h1[' } },
      })
      const right = openOn(processor, FIELDS)
      await expect(wrong.process(product(1), START)).rejects.toThrow('title')
      expect(await right.process(product(1), START)).toEqual(expected(FIELDS, product(1)))
      await expect(wrong.process(product(2), START)).rejects.toThrow('title')
      for (const recipe of [wrong, right]) recipe.close()
    })

    it('obeys the signal of a page, and other pages go on', async () => {
      const open = openOn(processor, FIELDS)
      const reason = new Error('enough')
      await expect(open.process(product(1), START, AbortSignal.abort(reason))).rejects.toBe(reason)
      const controller = new AbortController()
      const aborted = Array.from({ length: 60 }, () =>
        open.process(product(1), START, controller.signal).catch((error: unknown) => error),
      )
      const others = Array.from({ length: 60 }, () =>
        open.process(product(2), START, new AbortController().signal),
      )
      controller.abort(reason)
      // A page that was ready before the signal may have its result.
      for (const outcome of await Promise.all(aborted))
        if (outcome !== reason) expect(outcome).toEqual(expected(FIELDS, product(1)))
      for (const outcome of await Promise.all(others))
        expect(outcome).toEqual(expected(FIELDS, product(2)))
      open.close()
    })

    it('closes one recipe, and others stay open', async () => {
      const [dropped, open] = [openOn(processor, FIELDS), openOn(processor, FIELDS)]
      const ending = Array.from({ length: 60 }, () =>
        dropped.process(product(3), START).catch((error: unknown) => error),
      )
      const going = Array.from({ length: 60 }, () => open.process(product(4), START))
      dropped.close()
      dropped.close()
      for (const outcome of await Promise.all(ending))
        if (!(outcome instanceof Error)) expect(outcome).toEqual(expected(FIELDS, product(3)))
      for (const outcome of await Promise.all(going))
        expect(outcome).toEqual(expected(FIELDS, product(4)))
      await expect(dropped.process(product(3), START)).rejects.toThrow('closed')
      open.close()
    })

    it('converts rows like the format itself, whatever else it processes', async () => {
      const columns = [
        { name: 'a', type: 'text' },
        { name: 'b', type: null },
      ] as const
      const blockOf = (size: number) => ({
        rows: size,
        body: encode(
          Array.from({ length: size }, (_, index) =>
            JSON.stringify([index, { a: `=ü${index}`, b: index % 3 === 0 ? null : index }]),
          ).join('\n'),
        ),
      })
      const block = blockOf(700)
      const original = block.body.slice()
      for (const format of ['csv', 'jsonl', 'json', 'xlsx', 'parquet', 'xml', 'html']) {
        const spec = { format, columns }
        const here = await openRowWork(spec)
        const rows = processor.openRows(spec)
        const questions = [
          { ask: 'types', block } as const,
          ...[2, 40, 900].map((first) => ({ ask: 'part', block: blockOf(first), first }) as const),
          { ask: 'media', block } as const,
          { ask: 'end', parts: [] } as const,
        ]
        const [answers, others] = await Promise.all([
          Promise.all(questions.map((question) => rows.ask(question))),
          processor.openPages().detect(product(7)),
        ])
        expect(answers).toEqual(await Promise.all(questions.map((question) => here(question))))
        expect(others.kind).not.toBe('')
        rows.close()
        await expect(rows.ask({ ask: 'types', block })).rejects.toThrow('closed')
      }
      expect(block.body).toEqual(original)
      const unknown = processor.openRows({ format: 'xls', columns })
      await expect(unknown.ask({ ask: 'types', block })).rejects.toThrow('unknown format')
      unknown.close()
    })

    it('can be closed while it is busy, and rejects calls afterwards', async () => {
      const closing = await make()
      const open = openOn(closing, FIELDS)
      const busy = Array.from({ length: 100 }, () =>
        open.process(product(5), START).catch((error: unknown) => error),
      )
      await Promise.all([closing.close(), closing.close()])
      for (const outcome of await Promise.all(busy))
        if (!(outcome instanceof Error)) expect(outcome).toEqual(expected(FIELDS, product(5)))
      await expect(open.process(product(5), START)).rejects.toThrow('closed')
      await expect(openOn(closing, FIELDS).process(product(5), START)).rejects.toThrow('closed')
      open.close()
    })
  })
}
