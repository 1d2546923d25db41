import type { RecipeInput } from 'seine/client'
import { equal } from './expect.ts'
import type { Case, Stage } from './stage.ts'

interface CostlyPage {
  /** Its name at the slow site. */
  readonly file: string
  readonly recipe: Omit<RecipeInput, 'start'>
  /** The reasons that its outcome may have: not all runtimes read the same documents. */
  readonly reasons: readonly (string | null)[]
}

const TOO_COSTLY = ['page_too_costly']
/** No reason: the page is read whole. */
const READ = [null]

/** Pages, and recipes for them, that took minutes or all memory before they were bounded. */
const PAGES: readonly CostlyPage[] = [
  {
    file: 'nested.html',
    recipe: { extract: { fields: { a: { css: 'div', many: true } } } },
    reasons: TOO_COSTLY,
  },
  {
    file: 'parts.html',
    recipe: {
      extract: {
        fields: {
          a: {
            css: 'p',
            many: true,
            transform: [
              { split: 'a' },
              { replace: ['b', 'b'.repeat(400)] },
              { replace: ['b', 'b'.repeat(400)] },
              'upper',
            ],
          },
        },
      },
    },
    reasons: TOO_COSTLY,
  },
  { file: 'spaces.html', recipe: { formats: ['metadata', 'markdown'] }, reasons: READ },
  {
    file: 'siblings.html',
    recipe: { extract: { fields: { a: { css: 'i:has(~ i ~ b)' }, b: 'title' } } },
    reasons: READ,
  },
  {
    file: 'siblings.html',
    recipe: {
      extract: {
        fields: { a: { xpath: '//i[count(following::text()) > count(preceding::text())]' } },
      },
    },
    reasons: TOO_COSTLY,
  },
  {
    file: 'drawn.pdf',
    recipe: { formats: ['text'] },
    reasons: [null, 'pdf_too_large', 'page_too_costly'],
  },
]

/** Pause between two requests beside costly pages, in ms. */
const PAUSE_MS = 20

/** Costly pages: each ends with a reason, and others are served meanwhile. */
export const costlyCases: readonly Case[] = [
  {
    name: 'costs: pages that would take minutes or all memory end with a reason, and requests are answered meanwhile',
    async run(stage) {
      const outcomes: string[] = []
      const expected: string[] = []
      for (const page of PAGES) {
        const end = outcomeOf(stage, page)
        // If a request beside it fails, nothing waits for the outcome, which may then fail too.
        void end.catch(() => null)
        // At least one request goes beside each.
        let reason: string | null | undefined
        do {
          const { status } = await stage.send('/api/v1/templates/article', {
            headers: { authorization: `Bearer ${stage.key}` },
          })
          equal(status, 200, 'status of a request beside costly pages')
          // In one process with its client, workerd looks at timers and sockets only when nothing else
          // is due. Requests without a pause would hold up what they are to run beside.
          reason = await Promise.race([end, later(PAUSE_MS)])
        } while (reason === undefined)
        outcomes.push(`${page.file}: ${page.reasons.includes(reason) ? 'as expected' : reason}`)
        expected.push(`${page.file}: as expected`)
      }
      equal(outcomes, expected, 'outcomes of costly pages')
    },
  },
]

function later(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms))
}

/** Runs a recipe on one page of the slow site, and returns the reason of the page's outcome. */
async function outcomeOf(stage: Stage, { file, recipe }: CostlyPage): Promise<string | null> {
  const task = await stage.client.tasks.create({
    name: file,
    recipe: { ...recipe, start: { urls: [`${stage.slow}/${file}`] } },
  })
  const { id } = await stage.client.executions.start(task.id)
  for await (const execution of stage.client.executions.follow(id)) void execution
  for await (const { reason } of stage.client.executions.iteratePages(id))
    return reason?.code ?? null
  return 'no page'
}
