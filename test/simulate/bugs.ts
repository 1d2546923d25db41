import { readFileSync } from 'node:fs'
import { array, integer, number, object, optional, parse, pipe, string } from 'valibot'
import { readMutants } from '../mutants/mutants.ts'
import type { Mutant } from '../mutants/mutants.ts'

const bug = object({
  /** The wrong behaviour of the platform, in one sentence. */
  name: string(),
  /** The oracle that notices it. */
  oracle: string(),
  /**
   * Code of `src` that occurs once, and code in its place. Absent: those of the bug
   * of this name in `test/mutants`.
   */
  find: optional(string()),
  put: optional(string()),
  /** Its story, if it was a real bug that a seed has found: the seed is played for ever. */
  kept: optional(string()),
  /** Faults that its worlds have, as `--force` takes them, if it is rare without them. */
  force: optional(string()),
  /** The longest storm of its worlds, in virtual minutes. Absent: that of the command. */
  storm: optional(pipe(number(), integer())),
  /** The seed that catches it, and a part of the promise that is broken then. */
  seed: pipe(number(), integer()),
  promise: string(),
})

/** A bug that the worlds must notice. */
export type Bug = ReturnType<typeof readBugs>[number]

/** Reads the list of bugs. */
export function readBugs() {
  const text = readFileSync(new URL('./bugs.json', import.meta.url), 'utf8')
  return parse(array(bug), JSON.parse(text))
}

/**
 * The bug as those of `test/mutants`.
 *
 * @throws {Error} if it says neither what to plant nor the name of one of those
 */
export function mutantOf({ name, oracle, find, put }: Bug): Mutant {
  if (find !== undefined && put !== undefined) return { name, area: oracle, find, put, tests: [] }
  const mutant = readMutants().find((one) => one.name === name)
  if (!mutant) throw new Error(`No bug of test/mutants is named ${name}`)
  return mutant
}
