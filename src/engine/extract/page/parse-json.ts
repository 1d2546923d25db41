import type { Json, JsonObject } from '../../../kernel/json.ts'
import { DEEPEST, isTooDeep } from '../../../kernel/json-depth.ts'
import { QuickPass, StepParts, type Parts } from './in-turns.ts'
import { jsonParts } from './json-parts.ts'
import type { PageBudget } from './page-budget.ts'
import { rawText } from '../tree/text-content.ts'
import { mendParts } from './lenient-json.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { isList } from '../../../kernel/json.ts'
import { JsonCount, shareEmpty, type FreshJson } from '../value/json-memory.ts'
import { namesOf } from '../value/wide-names.ts'

/**
 * Parses JSON from a page. Returns `undefined` for invalid JSON and for JSON nested deeper than 64
 * levels, or `most`, which could overflow the stack when it is written later.
 */
export function parseJson(text: string, most = DEEPEST): FreshJson | undefined {
  if (isTooDeep(text, most)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    // JSON.parse returns only JSON values, with one exception: numbers such as 1e999. They become
    // null when they are written.
    return value as FreshJson
  } catch {
    return undefined
  }
}

/**
 * Like {@link parseJson}, for JSON of a page. The page's budget pays for it.
 *
 * @throws {PageTooCostly}
 */
export function parsePageJson(text: string, budget: PageBudget, most = DEEPEST): Json | undefined {
  budget.work(text.length)
  const count = new JsonCount()
  count.add(text, 0, text.length)
  budget.make(roomOf(count, text, most) ?? 0)
  const parsed = parseJson(text, most)
  const value = parsed !== undefined && count.hasManyEmpty ? shareEmpty(parsed) : parsed
  if (value === undefined && isTooDeep(text, most)) budget.cut('levels of JSON', most)
  return value
}

/** Bytes that a document pays. `null`: it has too many for its text, and is too deep to be read. */
function roomOf({ values, excess }: JsonCount, text: string, most: number): number | null {
  return excess > 0 && isTooDeep(text, most) ? null : VALUE_ROOM * values + excess
}

/** Shorter JSON, in characters, is read at once everywhere. */
const LONG = 400_000
/** Characters that are counted in one part. */
const COUNTED = 400_000
/** The rest of the work on JSON is to count its values. */
const DID_OF_PARSING = 0.75

/**
 * Like {@link parsePageJson}. `inParts`: a large document is read in parts, as there are no threads.
 *
 * @throws {PageTooCostly}
 */
export function* readJson(
  text: string,
  budget: PageBudget,
  inParts: boolean,
  most = DEEPEST,
): Parts<Json | undefined> {
  if (!inParts || text.length <= LONG) return parsePageJson(text, budget, most)
  budget.workAhead(text.length)
  const count = new JsonCount()
  for (let start = 0; start < text.length; start += COUNTED) {
    count.add(text, start, Math.min(start + COUNTED, text.length))
    budget.did((1 - DID_OF_PARSING) * COUNTED)
    yield
  }
  try {
    const room = roomOf(count, text, most)
    // In parts, most of it would be made before its depth is noticed.
    if (room === null) throw new SyntaxError('Too deep')
    budget.make(room)
    const parts = jsonParts(text, {
      most,
      sharesEmpty: count.hasManyEmpty,
      unpaid: (steps) => budget.unpaid(steps),
    })
    for (let before = 0; ;) {
      const step = parts.next()
      if (step.done === true) return step.value
      budget.did(DID_OF_PARSING * (step.value - before))
      before = step.value
      yield
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    if (isTooDeep(text, most)) budget.cut('levels of JSON', most)
    return undefined
  } finally {
    budget.did()
  }
}

/** Bytes of a value in a document until it becomes part of a row, which is charged separately. */
export const VALUE_ROOM = 8

const MAX_BLOCKS = 100

/**
 * Returns the page's JSON-LD documents in order. An unreadable block is skipped. `inParts`: as for
 * {@link readJson}.
 */
export function* jsonLdParts(
  tree: Tree,
  budget: PageBudget,
  inParts: boolean,
): Parts<readonly Json[]> {
  const blocks: Json[] = []
  const pass = new QuickPass(budget, 2)
  for (const element of tree.elements) {
    if (pass.ends()) yield
    if (element.name !== 'script' || !isJsonLd(element.attribs['type'])) continue
    if (blocks.length === MAX_BLOCKS) {
      budget.cut('blocks of JSON-LD', MAX_BLOCKS, 'page')
      break
    }
    const text = rawText(element, budget)
    const value =
      (yield* readJson(text, budget, inParts)) ??
      (yield* readJson(yield* mended(text, budget), budget, inParts))
    yield
    // `null` is skipped, because templates write it if there is no data.
    if (value !== undefined && value !== null) blocks.push(value)
  }
  return blocks
}

function isJsonLd(type: string | undefined): boolean {
  return type !== undefined && type.trim().toLowerCase().startsWith('application/ld+json')
}

/** Steps to repair a character of JSON. */
const MEND_STEPS = 2
/** More steps that a turn counts for a character outside of texts. */
const OUTSIDE_STEPS = 6

function* mended(text: string, budget: PageBudget): Parts<string> {
  budget.workAhead(MEND_STEPS * text.length)
  const json = yield* mendParts(text, (characters, outside) => {
    budget.did(MEND_STEPS * characters)
    budget.unpaid(OUTSIDE_STEPS * outside)
  })
  budget.did()
  return json
}

/** Bytes that a value takes in a row besides its text. */
export const VALUE_BYTES = 8

/** Steps to visit a member that nobody pays for. */
const MEMBER_STEPS = 12

/**
 * Pays for a JSON value by the size of its text, part by part. A shared part is paid for each time,
 * because it is written each time. Stops when the budget ends. Documents are at most 64 levels
 * deep, so the recursion is bounded.
 *
 * @throws {PageTooCostly}
 */
export function makeJson(value: Json, budget: PageBudget): void {
  budget.work(1)
  if (typeof value === 'string') return budget.make(value.length + VALUE_BYTES)
  budget.make(VALUE_BYTES)
  if (value === null || typeof value !== 'object') return
  if (isList(value)) return value.forEach((item) => makeJson(item, budget))
  for (const name of Object.keys(value)) {
    budget.make(name.length)
    makeJson(value[name] ?? null, budget)
  }
}

/** Like {@link makeJson} in parts. */
export function* makeJsonParts(value: Json, budget: PageBudget): Parts<void> {
  const parts = new StepParts(budget)
  const open = [levelOf([value])]
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { of, names } = level
    if (level.next === level.count) {
      open.pop()
      continue
    }
    const index = level.next++
    const name = names?.[index] ?? ''
    const member = (isList(of) ? of[index] : of[name]) ?? null
    budget.work(1)
    budget.make(name.length)
    budget.unpaid(MEMBER_STEPS)
    if (parts.ends()) yield
    budget.make(typeof member === 'string' ? member.length + VALUE_BYTES : VALUE_BYTES)
    if (member === null || typeof member !== 'object') continue
    open.push(levelOf(member))
  }
}

/** A list or an object of which the members up to `next` are paid for. */
interface PaidLevel {
  readonly of: readonly Json[] | JsonObject
  /** `null`: it is a list. */
  readonly names: readonly string[] | null
  readonly count: number
  next: number
}

function levelOf(of: readonly Json[] | JsonObject): PaidLevel {
  const names = isList(of) ? null : namesOf(of)
  return { of, names, count: isList(of) ? of.length : (names?.length ?? 0), next: 0 }
}
