import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { array, minLength, object, parse, pipe, string } from 'valibot'

const mutant = object({
  /** The wrong behaviour of the platform, in one sentence. */
  name: string(),
  area: string(),
  /** Code of `src` or `adapters` that occurs once. White space and trailing commas do not matter. */
  find: string(),
  /** Code in its place. */
  put: string(),
  /** Test files under `test` that must notice, without their ends such as `.proof.test.ts`. */
  tests: pipe(array(string()), minLength(1)),
})

/** A bug to plant. */
export type Mutant = ReturnType<typeof readMutants>[number]

/** A bug with its place in the code, and the paths of the tests that must notice it. */
export interface PlantedMutant extends Mutant {
  readonly file: string
  /** The text of the file with the bug. */
  readonly text: string
  readonly testFiles: readonly string[]
}

/** The checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Reads the list of bugs. */
export function readMutants() {
  const text = readFileSync(new URL('./mutants.json', import.meta.url), 'utf8')
  return parse(array(mutant), JSON.parse(text))
}

/**
 * Finds the place of each bug by its text.
 *
 * @throws {Error} if a text is not found exactly once, or if a test file does not exist
 */
export function plantAll(mutants: readonly Mutant[]): PlantedMutant[] {
  const sources = globSync('{src,adapters}/**/*.ts', { cwd: ROOT }).map((file) => {
    const text = readFileSync(`${ROOT}/${file}`, 'utf8')
    return { file, text, marks: marksOf(text) }
  })
  const tests = globSync('test/**/*.test.ts', {
    cwd: ROOT,
    exclude: (path) => path.includes('node_modules'),
  })
  return mutants.map((one) => {
    const marks = marksOf(one.find)
    const pattern = patternOf(marks)
    // A look for a text is quick, and hardly any file has it. Its last comma may not count there.
    const beginning = marks.replace(/,$/, '')
    const candidates = sources.filter((source) => source.marks.includes(beginning))
    const occurrences = candidates.flatMap(({ file, text }) =>
      [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({
        file,
        text: text.slice(0, index) + one.put + text.slice(index + length),
      })),
    )
    const [occurrence] = occurrences
    if (!occurrence || occurrences.length > 1)
      throw new Error(
        `"${one.name}": its text occurs ${occurrences.length} times, not once: ${one.find}`,
      )
    return { ...one, ...occurrence, testFiles: one.tests.flatMap((name) => testFiles(name, tests)) }
  })
}

/** Checks that the code with each bug is code. */
export function checkCode(planted: readonly PlantedMutant[]): void {
  for (const { name, text } of planted)
    try {
      stripTypeScriptTypes(text)
    } catch (cause) {
      throw new Error(`"${name}": the code with the bug does not parse`, { cause })
    }
}

/** The part of a text that counts: all but white space, and commas before closing brackets. */
function marksOf(text: string): string {
  return text.replaceAll(/\s+|,(?=\s*[)\]}])/g, '')
}

/** Finds a text by its marks, whatever its white space is. */
function patternOf(marks: string): RegExp {
  const parts = [...marks].map((mark, index) =>
    index > 0 && /[)\]}]/.test(mark) ? `(?:,\\s*)?\\${mark}` : mark.replace(/\W/u, '\\$&'),
  )
  return new RegExp(parts.join('\\s*'), 'g')
}

/** Finds test files by their name without its kind: `a.test.ts` and `a.proof.test.ts`. */
function testFiles(name: string, files: readonly string[]): string[] {
  const paths = files.filter((file) => file.startsWith(`test/${name}.`))
  if (paths.length === 0) throw new Error(`There is no test/${name}.test.ts`)
  return paths
}
