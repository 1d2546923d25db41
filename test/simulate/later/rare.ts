import { Luck } from '../luck.ts'

/**
 * Sizes of batches and pages in `src`, of which no world would ever fill one: code that continues
 * after the first would never run. In some worlds some of them are a few.
 */
const SIZES: readonly (readonly [file: string, ...names: string[]])[] = [
  ['src/records/paginate.ts', 'PAGE'],
  ['src/worker/outbox.ts', 'PAGE'],
  ['src/crawl/shared/assignments.ts', 'PAGE'],
  ['src/crawl/commit/frontier.ts', 'PAGE'],
  ['src/crawl/commit/row-claims.ts', 'AT_ONCE'],
  ['src/crawl/run/advance.ts', 'BATCH'],
  ['src/crawl/run/seed.ts', 'BATCH'],
  ['src/crawl/run/allowance.ts', 'CHUNK'],
  ['src/crawl/archive/kept-source.ts', 'BATCH'],
  ['src/features/agentic/search/crawled-pages.ts', 'BATCH'],
  ['src/features/agentic/search/findable-page.ts', 'BATCH'],
  ['src/features/audit/service.ts', 'EXPORT_PAGE'],
  ['src/features/datasets/merge.ts', 'BATCH', 'MOST_SEARCHES'],
  ['src/features/datasets/weigh-rows.ts', 'BATCH'],
  ['src/features/executions/kept-pages.ts', 'PAGES_AT_ONCE'],
  ['src/features/executions/live/news.ts', 'PAGES'],
  ['src/features/executions/retire.ts', 'BATCH'],
  ['src/features/executions/sweep.ts', 'BATCH'],
  ['src/features/limits/holdings.ts', 'PAGE'],
  ['src/features/media/erase-loose.ts', 'BATCH'],
  ['src/features/results/row-origins.ts', 'PAGES_AT_ONCE'],
  ['src/features/results/row-reader.ts', 'SEGMENTS_AT_ONCE'],
  ['src/records/verify.ts', 'PAGE'],
  ['src/records/whole-store.ts', 'BATCH'],
]

const SALT = 0x0b0661f1
const MOST = 4
const HOOK = 'seineSize'

/** The text of a module of `src` in which a world can change its sizes. */
export function withRareSizes(file: string, text: string): string {
  const [, ...names] = SIZES.find(([one]) => one === file) ?? ['']
  return names.reduce((changed, name) => {
    const declared = `const ${name} = `
    if (!changed.includes(declared)) throw new Error(`${file} has no size ${name}`)
    const [before = '', ...after] = changed.split(declared)
    const hooked = (part: string): string =>
      part.replaceAll(
        new RegExp(`\\b${name}\\b`, 'g'),
        `(globalThis.${HOOK}?.('${file} ${name}') ?? ${name})`,
      )
    return hooked(before) + declared + hooked(after.join(declared))
  }, text)
}

/** Draws the sizes of the world of a seed. `share`: of those that are a few. */
export function drawSizes(seed: number, share: number): void {
  const luck = new Luck(seed ^ SALT)
  const sizes = new Map<string, number>()
  for (const [file, ...names] of SIZES)
    for (const name of names)
      if (luck.chance(share)) sizes.set(`${file} ${name}`, luck.int(1, MOST))
  Reflect.set(globalThis, HOOK, (name: string) => sizes.get(name))
}
