import { isObject } from '../../../kernel/json.ts'
import type { RecipeField } from './recipe.ts'

/** A source of a column, as an object of a recipe. */
export type SourceObject = Exclude<RecipeField, string | readonly unknown[]>
/** A step that changes the text of a source. */
export type TextStep = NonNullable<SourceObject['transform']>[number]

/** Steps without arguments. */
const PLAIN = ['trim', 'collapse', 'lower', 'upper', 'name'] as const
/** Steps with one text. */
const TEXTS = ['split', 'join', 'prefix', 'suffix'] as const

/** Kinds of steps, in the order of the form. */
export const STEP_KINDS = [
  ...PLAIN,
  'replace',
  'pattern',
  'slice',
  'split',
  'item',
  'join',
  'prefix',
  'suffix',
  'map',
  'default',
] as const
/** One of {@link STEP_KINDS}. */
export type TextStepKind = (typeof STEP_KINDS)[number]

/** A step in the form, where each argument is a text. */
export interface StepEntry {
  readonly kind: TextStepKind
  readonly args: readonly string[]
}

/** A new step of each kind with arguments, in the form that the server accepts. */
const NEW_ARGS: Partial<Readonly<Record<TextStepKind, readonly string[]>>> = {
  replace: ['-', ''],
  pattern: [String.raw`\s+`, ' '],
  slice: ['0', ''],
  split: [','],
  item: ['0'],
  join: [', '],
  prefix: [''],
  suffix: [''],
  map: ['yes', 'true'],
  default: ['0'],
}

/** A new step of a kind. */
export function newStep(kind: TextStepKind): StepEntry {
  return { kind, args: NEW_ARGS[kind] ?? [] }
}

/** A step for the form. `null`: it can be shown only as JSON. */
export function entryOf(step: unknown): StepEntry | null {
  const entry = readEntry(step)
  // An entry that the form would write differently is not shown in it.
  return entry !== null && JSON.stringify(stepOf(entry)) === JSON.stringify(step) ? entry : null
}

function readEntry(step: unknown): StepEntry | null {
  if (typeof step === 'string') {
    const kind = PLAIN.find((plain) => plain === step)
    return kind === undefined ? null : { kind, args: [] }
  }
  if (!isObject(step)) return null
  const [name] = Object.keys(step)
  const value = name === undefined ? undefined : step[name]
  if (name === 'replace' && isObject(value))
    return { kind: 'pattern', args: [textIn(value['regex']), textIn(value['with'])] }
  if (name === 'map' && isObject(value))
    return {
      kind: 'map',
      args: Object.entries(value).flatMap(([text, mapped]) => [text, scalarText(mapped)]),
    }
  const kind = STEP_KINDS.find((choice) => choice === name)
  if (kind === undefined) return null
  if (kind === 'default') return { kind, args: [scalarText(value)] }
  if (Array.isArray(value))
    return { kind, args: [...value.map(textIn), ...(value.length === 1 ? [''] : [])] }
  return { kind, args: [textIn(value)] }
}

/** A step of a recipe from the form. */
export function stepOf({ kind, args }: StepEntry): TextStep {
  const [first = '', second = ''] = args
  switch (kind) {
    case 'replace':
      return { replace: [first, second] }
    case 'pattern':
      return { replace: { regex: first, with: second } }
    case 'slice':
      return { slice: second === '' ? [wholeOf(first)] : [wholeOf(first), wholeOf(second)] }
    case 'item':
      return { item: wholeOf(first) }
    case 'map':
      return {
        map: Object.fromEntries(
          args.flatMap((text, index) =>
            index % 2 === 0 ? [[text, scalarOf(args[index + 1] ?? '')] as const] : [],
          ),
        ),
      }
    case 'default':
      return { default: scalarOf(first) }
    default: {
      const textual = TEXTS.find((text) => text === kind)
      return textual === undefined ? plainOf(kind) : { [textual]: first }
    }
  }
}

function plainOf(kind: TextStepKind): (typeof PLAIN)[number] {
  return PLAIN.find((plain) => plain === kind) ?? 'trim'
}

/** A position. Number fields refuse words. Any other text that is not a number counts as 0. */
function wholeOf(text: string): number {
  const position = Math.trunc(Number(text))
  return Number.isSafeInteger(position) ? position : 0
}

/** A typed value. If it is the JSON of a number, a truth value or a text, it becomes that. */
function scalarOf(text: string): string | number | boolean {
  try {
    const value: unknown = JSON.parse(text)
    const isScalar =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return isScalar && JSON.stringify(value) === text ? value : text
  } catch {
    return text
  }
}

/** A number, a truth value or a text, as a text. Other values are not arguments of steps. */
function textIn(value: unknown): string {
  return typeof value === 'object' ? '' : String(value)
}

/** The text of a value for typing. A text that looks like a number is in quotes. */
function scalarText(value: unknown): string {
  if (typeof value !== 'string') return textIn(value)
  return scalarOf(value) === value ? value : JSON.stringify(value)
}
