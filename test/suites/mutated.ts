import fc from 'fast-check'
import { atOnce } from '../../src/engine/extract/page/in-turns.ts'
import { detectAllParts } from '../../src/engine/extract/auto.ts'
import { formatPage } from '../../src/engine/extract/format/format-page.ts'
import { PageBudget } from '../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../src/engine/extract/page/page-content.ts'
import { FORMATS } from '../../src/engine/recipe/schema.ts'
import { mutatePage, pageChanges } from '../support/mutate-page.ts'
import { textPage } from './page.ts'
import type { Suite } from './suite.ts'

/** Shorter pages say nothing about speed. */
const SHORTEST = 20_000
const TRIES = 3
/**
 * How many times as long as the tree of the unharmed page a reader may take for a character. The
 * slowest takes about ten times as long; what stalls takes hundreds.
 */
const MOST_TIMES = 60

/** All readers share the work of a page, and each of them shall end. */
const AMPLE = { steps: 1_000_000_000, bytes: 1_000_000_000 }

/** The readers of a page, each of which uses the tree that the first one makes. */
const READERS: Readonly<Record<string, (content: PageContent) => unknown>> = {
  tree: (content) => content.tree,
  'JSON-LD': (content) => content.data,
  microdata: (content) => content.microdata,
  RDFa: (content) => content.rdfa,
  microformats: (content) => content.microformats,
  state: (content) => content.state,
  ...Object.fromEntries(
    FORMATS.map((format) => [format, (content: PageContent) => formatPage(content, format)]),
  ),
  detection: (content) => atOnce(detectAllParts(content)),
}

interface Figures {
  /** The CPU in milliseconds for a million characters, of each page. */
  readonly speeds: number[]
  most: number
  slowest: string
  readonly faults: string[]
}

/**
 * Damages pages of the suites, by a seed, and has each reader read them. Prints the CPU of each for
 * a million characters, and how many times that of the unharmed page's tree its slowest page takes.
 *
 * @returns The number of errors and stalls
 */
export function runMutated(
  suites: readonly Suite[],
  { number, seed }: { number: number; seed: number },
): number {
  const pages = suites.flatMap(({ name, cases }) =>
    cases.flatMap((page) => {
      if (!page.has('html')) return []
      const html = page.text('html')
      return html.length < SHORTEST ? [] : [{ id: `${name} ${page.id}`, html }]
    }),
  )
  if (pages.length === 0) {
    console.log('FAILED: there are no pages to damage')
    return 1
  }
  const figures = new Map<string, Figures>()
  for (const [index, changes] of fc.sample(pageChanges, { numRuns: number, seed }).entries()) {
    const page = pages[(index * 7 + seed) % pages.length]
    if (page === undefined) continue
    const base = new Map<string, number>()
    measure(page.html, base)
    const speeds = new Map<string, number>()
    const faults = measure(mutatePage(page.html, changes), speeds)
    const tree = base.get('tree') ?? Infinity
    for (const [name, speed] of speeds)
      note(figures, name, { speed, times: speed / tree, id: page.id, fault: faults.get(name) })
  }
  let failures = 0
  for (const [name, { speeds, most, slowest, faults }] of figures) {
    const median = speeds.toSorted((a, b) => a - b)[speeds.length >> 1] ?? 0
    const isStall = most > MOST_TIMES
    failures += faults.length + Number(isStall)
    console.log(
      `${name}: ${median.toFixed(1)} ms a million characters; at most ${most.toFixed(1)} times the tree (${slowest})${isStall ? '; STALLS' : ''}`,
    )
    for (const fault of faults) console.log(`  THROWS: ${fault}`)
  }
  console.log(`${number} damaged pages of ${pages.length}, seed ${seed}`)
  return failures
}

/** Writes the least CPU of a few tries for each reader, and returns what was thrown. */
function measure(html: string, speeds: Map<string, number>): Map<string, string> {
  const faults = new Map<string, string>()
  const million = Math.max(1, html.length) / 1_000_000
  for (let tries = 0; tries < TRIES; tries++) {
    const content = new PageContent(textPage(html, 'text/html'), START, new PageBudget(AMPLE))
    for (const [name, read] of Object.entries(READERS)) {
      const before = process.cpuUsage()
      try {
        read(content)
      } catch (error) {
        faults.set(name, String(error).slice(0, 150))
      }
      const spent = process.cpuUsage(before)
      const speed = (spent.user + spent.system) / 1_000 / million
      speeds.set(name, Math.min(speeds.get(name) ?? Infinity, speed))
    }
  }
  return faults
}

function note(
  figures: Map<string, Figures>,
  name: string,
  result: { speed: number; times: number; id: string; fault: string | undefined },
): void {
  const figure = figures.get(name) ?? { speeds: [], most: 0, slowest: '', faults: [] }
  figures.set(name, figure)
  figure.speeds.push(result.speed)
  if (result.fault !== undefined) figure.faults.push(`${result.id}: ${result.fault}`)
  if (result.times <= figure.most) return
  figure.most = result.times
  figure.slowest = result.id
}
