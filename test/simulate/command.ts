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
// virtual minutes in which things go wrong; by default most seeds have few.
// --together N: plays N worlds one after the other in each thread, which takes half of the time,
// as the thread has the code compiled already. A world that breaks a promise is played alone then.
// --bail: ends with the
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

/** After how many worlds their number is printed. */
const TOLD = 500

const STORM_SALT = 0x570a2000

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    storm: { type: 'string' },
    together: { type: 'string', default: '1' },
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
 * Plays worlds one after the other in a new thread, until `hear` returns false. A world depends on
 * those before it in its thread: what they left behind in its modules may change it. Returns the
 * last one.
 */
async function playInThread(
  seeds: readonly number[],
  trimmed: Trims,
  hear: (played: Played) => boolean,
): Promise<Played> {
  const worlds = seeds.map((seed) => ({ seed, storm: stormOf(seed) }))
  const order: Order = { worlds, trims: trimmed }
  const thread = new Worker(new URL(import.meta.url), { workerData: order })
  let playedHere = 0
  let isOver = false
  try {
    return await new Promise<Played>((resolve, reject) => {
      thread.on('message', (result: Played) => {
        // It may finish another world before it is terminated.
        if (isOver) return
        playedHere++
        isOver = !hear(result) || playedHere === seeds.length
        if (isOver) resolve(result)
      })
      thread.once('error', reject)
      thread.once('exit', (code) =>
        reject(
          new Error(
            `The thread of seed ${seeds[playedHere]} has ended with ${code} before its world`,
          ),
        ),
      )
    })
  } finally {
    await thread.terminate()
  }
}

/** The world of a seed alone in its thread: the seed and the code alone decide what happens. */
function playSeed(seed: number, trimmed: Trims): Promise<Played> {
  return playInThread([seed], trimmed, () => false)
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
const together = Number(values.together)
const most = values.minutes === undefined ? Number(values.seeds) : Infinity
const seconds = values.minutes === undefined ? Infinity : Number(values.minutes) * 60
const done = new Set<string>()
const steps = new Map<string, number>()
let [played, hours, storms, executions, failed] = [0, 0, 0, 0, 0]
const mayGoOn = (): boolean => elapsed() < seconds && !(values.bail && failed > 0)
for (let since = first; since < first + most && mayGoOn();) {
  const length = Math.min(together, first + most - since)
  const seeds = Array.from({ length }, (_, index) => since + index)
  const last = await playInThread(seeds, trims, (result) => {
    note(result)
    return result.broken.length === 0 && mayGoOn()
  })
  if (last.broken.length > 0) await tellBroken(last, since)
  since = last.seed + 1
}

function note(result: Played): void {
  played++
  hours += result.ms / 3_600_000
  storms += result.stormMinutes / 60
  executions += result.executions
  for (const call of result.done) done.add(withoutIds(call))
  for (const [kind, times] of result.steps) steps.set(kind, (steps.get(kind) ?? 0) + times)
  if (values.story) console.log(result.story.join('\n'))
  if (played % TOLD === 0) console.log(`so far: ${played} worlds, to seed ${result.seed}`)
}

/** `since`: the first seed of its thread. */
async function tellBroken(result: Played, since: number): Promise<void> {
  failed++
  const { seed } = result
  const alone = seed === since ? result : await playSeed(seed, trims)
  const isAlone = alone.broken.length > 0
  if (isAlone) {
    console.log(`seed ${seed}: ${alone.broken.join('; ')}`)
    if (values.shrink) await showSmaller(alone)
    return
  }
  const length = seed - since + 1
  console.log(
    `seed ${seed}, only after those from ${since} in its thread: ${result.broken.join('; ')}\n` +
      `again: --seed ${since} --seeds ${length} --together ${length}`,
  )
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
