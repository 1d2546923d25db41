import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { FAULT_KINDS } from './faults.ts'
import type { Played } from './play.ts'
import type { Order } from './thread.ts'
import { shrink } from './shrink.ts'
import { Luck } from './luck.ts'
import { optionsOf, parseForce, WHOLE } from './trims.ts'
import type { Trims } from './trims.ts'
import { withoutIds } from './without-ids.ts'

// Plays simulated worlds: npm run simulate -- --seed N [--seeds M] [--minutes T] [--storm T] [--bail]
// [--story] [--shrink]. --minutes: real ones, until no further world begins. --storm: the most
// virtual minutes in which things go wrong; by default most seeds have few. --bail: ends with the
// first world that breaks a promise. --shrink: makes each failing world smaller, and says how to
// play the small one again by
// [--until MINUTES] [--customers N] [--processes N] [--no-stranger] [--no-others] [--without KIND,KIND].
// --calls: prints method and path of the calls that did what they asked for.
// --steps: prints how many commits of each kind were compared with the model of test/model.
// --force KIND=NUMBER,…: faults that replace those that were drawn.
// Exit code 0: every promise held.

/** How many smaller worlds `--shrink` tries. */
const MOST_TRIES = 60
/** Lines of the story that `--shrink` shows, from its end. */
const SHOWN = 40

const STORM_SALT = 0x570a2000

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    storm: { type: 'string' },
    bail: { type: 'boolean', default: false },
    story: { type: 'boolean', default: false },
    calls: { type: 'boolean', default: false },
    steps: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    until: { type: 'string', default: 'Infinity' },
    customers: { type: 'string', default: 'Infinity' },
    processes: { type: 'string', default: 'Infinity' },
    'no-stranger': { type: 'boolean', default: false },
    'no-others': { type: 'boolean', default: false },
    without: { type: 'string', default: '' },
    force: { type: 'string', default: '' },
  },
})
const began = performance.now()
const elapsed = (): number => (performance.now() - began) / 1_000

/**
 * The most virtual minutes in which things go wrong in the world of a seed. Short storms find the
 * planted bugs with 40 % of the CPU of those of an hour, but some faults need a long one.
 */
function stormOf(seed: number): number {
  if (values.storm !== undefined) return Number(values.storm)
  const share = new Luck(seed ^ STORM_SALT).next()
  if (share < 0.85) return 15
  return share < 0.95 ? 60 : 150
}
const names = values.without.split(',').filter((name) => name !== '')
for (const name of names)
  if (!FAULT_KINDS.some((kind) => kind === name))
    throw new Error(`--without: there is no kind ${name}, but ${FAULT_KINDS.join(', ')}`)
const trims: Trims = {
  ...WHOLE,
  until: Number(values.until),
  customers: Number(values.customers),
  processes: Number(values.processes),
  stranger: !values['no-stranger'],
  others: !values['no-others'],
  without: FAULT_KINDS.filter((kind) => names.includes(kind)),
  force: parseForce(values.force),
}

/**
 * Each world has a thread of its own: what an earlier world left behind in its modules would change
 * it, and its seed alone would not make it again.
 */
async function playSeed(seed: number, trimmed: Trims): Promise<Played> {
  const order: Order = { seed, storm: stormOf(seed), trims: trimmed }
  const thread = new Worker(new URL(import.meta.url), { workerData: order })
  try {
    return await new Promise<Played>((resolve, reject) => {
      thread.once('message', (played: Played) => resolve(played))
      thread.once('error', reject)
      thread.once('exit', (code) =>
        reject(new Error(`The thread of seed ${seed} has ended with ${code} before its world`)),
      )
    })
  } finally {
    await thread.terminate()
  }
}

async function showSmaller(failed: Played): Promise<void> {
  const { seed } = failed
  const {
    trims: small,
    played: least,
    tries,
  } = await shrink(trims, failed, (trimmed) => playSeed(seed, trimmed), MOST_TRIES)
  console.log(`the end of the smallest of ${tries + 1} worlds:`)
  console.log(least.story.slice(-SHOWN).join('\n'))
  console.log(`first broken promise: ${least.broken[0]}`)
  console.log(`again: --seed ${seed} --storm ${stormOf(seed)} ${optionsOf(small)}`)
}

const first = Number(values.seed)
const most = values.minutes === undefined ? Number(values.seeds) : Infinity
const seconds = values.minutes === undefined ? Infinity : Number(values.minutes) * 60
const done = new Set<string>()
const steps = new Map<string, number>()
let [played, hours, storms, executions, failed] = [0, 0, 0, 0, 0]
for (let seed = first; seed < first + most && elapsed() < seconds; seed++) {
  if (values.bail && failed > 0) break
  const result = await playSeed(seed, trims)
  played++
  hours += result.ms / 3_600_000
  storms += result.stormMinutes / 60
  executions += result.executions
  for (const call of result.done) done.add(withoutIds(call))
  for (const [kind, count] of result.steps) steps.set(kind, (steps.get(kind) ?? 0) + count)
  if (values.story) console.log(result.story.join('\n'))
  if (result.broken.length === 0) continue
  failed++
  console.log(`seed ${seed}: ${result.broken.join('; ')}`)
  if (values.shrink) await showSmaller(result)
}
if (values.calls) for (const call of [...done].toSorted()) console.log(call)
if (values.steps)
  console.log(`compared: ${[...steps].map(([kind, count]) => `${kind} ${count}`).join(', ')}`)
const perHour = Math.round((hours / elapsed()) * 3_600)
console.log(
  `${played} worlds, seeds ${first} to ${first + played - 1}, ${Math.round(hours)} virtual hours ` +
    `(${perHour} an hour), ${Math.round(storms)} of them in storms, ${executions} executions; ` +
    `${failed} broke a promise`,
)
process.exitCode = failed === 0 ? 0 : 1
