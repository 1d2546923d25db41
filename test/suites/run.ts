import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { score, type Score } from './judge.ts'
import { runMutated } from './mutated.ts'
import { readSuites } from './suite.ts'

// Runs the suites of other people, which lie beside the project and are not part of it.
// npm run suites -- [FOLDER] [--only NAME] [--ids] [--write] [--check]
// FOLDER: where the suites are; else $SEINE_SUITES, else ../shared/suites.
// --only NAME: the suites and kinds whose names begin so.
// --ids: the failing cases, with what was thrown.
// --write: puts the table into docs/suites.md.
// --check: a miss that accepted.json does not have fails, as do more than 2 % accepted ones of a
//   suite, and a figure below its floor.
// --mutate N, --seed S: damages N pages of the suites, and has each reader of pages read them. An
//   error fails, as does a stall.
// --accept REASON, --excuse REASON: puts the misses that are new into accepted.json.

const ACCEPTED = new URL('accepted.json', import.meta.url)
const TABLE = new URL('../../docs/suites.md', import.meta.url)

/** The share of a suite's cases that may be accepted misses. */
const MOST_ACCEPTED = 0.02

/** The misses that a suite may have. */
interface Accepted {
  /** The ids of accepted misses, by their reason. */
  misses: Record<string, string[]>
  /**
   * The ids of cases that ask for what the standard or the project's stated rule excludes. `*` is
   * all.
   */
  excused?: Record<string, string[]>
  /** For a suite that is judged as a whole: how many cases pass at least. */
  least?: number
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    ids: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    mutate: { type: 'string' },
    seed: { type: 'string', default: '1' },
    accept: { type: 'string' },
    excuse: { type: 'string' },
  },
})

const root = resolve(positionals[0] ?? process.env['SEINE_SUITES'] ?? '../shared/suites')
if (!existsSync(root)) {
  console.log(`There are no suites at ${root}`)
  process.exit(0)
}
const accepted: Record<string, Accepted> = JSON.parse(readFileSync(ACCEPTED, 'utf8'))
const { only, accept, excuse } = values
const suites = readSuites(root).filter(
  ({ name, kind }) => only === undefined || name.startsWith(only) || kind.startsWith(only),
)
if (values.mutate !== undefined) {
  const number = Number(values.mutate)
  const seed = Number(values.seed)
  if (!Number.isSafeInteger(number) || number < 1 || !Number.isSafeInteger(seed) || seed < 0)
    throw new Error('Usage: --mutate N --seed S, both whole numbers')
  process.exit(runMutated(suites, { number, seed }) === 0 ? 0 : 1)
}
const scores: Score[] = []
let news = 0
for (const suite of suites) {
  const result = await score(suite)
  scores.push(result)
  console.log(lineOf(result))
  if (values.ids)
    for (const { one, error } of result.failed)
      console.log(`  ${one.id}${one.policy === null ? '' : ` (${one.policy})`}${noteOf(error)}`)
  const fresh = freshMisses(result)
  if (accept !== undefined) acceptAs(accept, 'misses', result.name, fresh)
  else if (excuse !== undefined) acceptAs(excuse, 'excused', result.name, fresh)
  else if (values.check) news += compare(result, fresh)
}
if (accept !== undefined || excuse !== undefined)
  writeFileSync(ACCEPTED, `${JSON.stringify(accepted, null, 2)}\n`)
if (values.write) writeFileSync(TABLE, tableOf(scores))
if (news > 0) {
  console.log(`${news} new misses`)
  process.exitCode = 1
}

function lineOf({ name, passed, total, figure, lacking, failed }: Score): string {
  const byPolicy = failed.filter(({ one }) => one.policy !== null).length
  return [
    `${name}: ${passed}/${total}`,
    ...(lacking ? ['lacking'] : []),
    ...(figure === '' ? [] : [figure]),
    ...(byPolicy === 0 ? [] : [`${byPolicy} of the misses by policy`]),
  ].join('; ')
}

function noteOf(error: string | null): string {
  return error === null ? '' : `: ${error.slice(0, 150)}`
}

/** The misses that are neither excused by a policy nor in accepted.json. */
function freshMisses({ name, failed }: Score): Score['failed'] {
  const expectedMisses = new Set([...idsOf(name, 'misses'), ...idsOf(name, 'excused')])
  if (accepted[name]?.least !== undefined) return []
  return failed.filter(({ one }) => one.policy === null && !expectedMisses.has(one.id))
}

function idsOf(suite: string, list: 'misses' | 'excused'): readonly string[] {
  return Object.values(accepted[suite]?.[list] ?? {}).flat()
}

/** Prints the differences from the accepted misses, and returns the number of new misses. */
function compare({ name, passed, total, failed }: Score, fresh: Score['failed']): number {
  const missed = new Set(failed.map(({ one }) => one.id))
  const misses = idsOf(name, 'misses')
  for (const id of [...misses, ...idsOf(name, 'excused')])
    if (!missed.has(id)) console.log(`  ${name}: passes now: ${id}`)
  for (const { one, error } of fresh) console.log(`  ${name}: NEW MISS: ${one.id}${noteOf(error)}`)
  const least = accepted[name]?.least ?? 0
  if (passed < least) console.log(`  ${name}: BELOW ITS FLOOR of ${least}`)
  const tooMany = Math.max(0, misses.length - Math.floor(total * MOST_ACCEPTED))
  if (tooMany > 0) console.log(`  ${name}: MORE THAN ${MOST_ACCEPTED * 100} % ARE ACCEPTED`)
  return fresh.length + tooMany + Math.max(0, least - passed)
}

function acceptAs(
  reason: string,
  list: 'misses' | 'excused',
  suite: string,
  fresh: Score['failed'],
): void {
  if (fresh.length === 0) return
  const entry = (accepted[suite] ??= { misses: {} })
  const reasons = (entry[list] ??= {})
  reasons[reason] = [...(reasons[reason] ?? []), ...fresh.map(({ one }) => one.id)]
}

function tableOf(all: readonly Score[]): string {
  const rows = all.map(({ name, kind, passed, total, figure, failed, lacking }) => {
    const byPolicy = failed.filter(({ one }) => one.policy !== null).length
    const cells = [
      name,
      kind,
      lacking ? `lacking, of ${total}` : `${passed} of ${total}`,
      byPolicy === 0 ? '' : String(byPolicy),
      counted(idsOf(name, 'excused')),
      counted(idsOf(name, 'misses')),
      figure,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return `# Suites of other people

What the engine makes of conformance cases that others wrote. \`npm run suites\` runs them where they lie beside the
project; they are not part of it. A miss by policy is a difference that the engine keeps on purpose. An excused case
asks for what its standard or a stated rule of the engine excludes. At most 2 % of a suite are accepted misses. Both
are in \`test/suites/accepted.json\`, each with its reason. \`npm run suites -- --write\` writes this table.

\`npm run suites -- FOLDER --mutate 200 --seed 7\` damages 200 pages of the suites, and has each reader read them: the
tree, each kind of structured data, the formats, and detection. An error fails, as does a reader that takes more than 60
times as long for a character as the tree of the unharmed page.

| suite | kind | passed | misses by policy | excused | accepted misses | figure |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}

function counted(ids: readonly string[]): string {
  return ids.length === 0 ? '' : String(ids.length)
}
