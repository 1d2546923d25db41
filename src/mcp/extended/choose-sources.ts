import { isObject } from '../../kernel/json.ts'
import type { Group } from './short-list.ts'
import { questionFor, sourceFor } from './source-of.ts'
import { columnFor } from './wanted.ts'
import type { Wanted } from './wanted.ts'

type Data = { readonly [name: string]: unknown }

/** A recipe, and the wanted values for which it has no source. */
export interface RecipeOfWanted {
  readonly recipe: Data
  readonly missing: readonly string[]
}

/** The same for a proposal, with the columns that nobody asked for. */
export interface Chosen extends RecipeOfWanted {
  readonly unused: Data
  /** Replaces the warning that a group may be the rows, if the recipe reads that group. */
  readonly doubts?: readonly string[]
}

/** A source for a wanted value. */
interface Choice {
  readonly name: string
  /** The detected column. `null`: the source belongs to no column. */
  readonly column: string | null
  readonly source: unknown
}

/** The fields of a proposal's recipe, with the rest of its `extract`. */
export function partsOf(proposal: Data): { recipe: Data; rest: Data; fields: Data } {
  const recipe = isObject(proposal['recipe']) ? proposal['recipe'] : {}
  const { fields, ...rest } = isObject(recipe['extract']) ? recipe['extract'] : {}
  return { recipe, rest, fields: isObject(fields) ? fields : {} }
}

/** The columns of all proposals, up to the number that a refusal lists. */
export function columnsOf(proposals: readonly Data[]): readonly string[] {
  return [...new Set(proposals.flatMap((proposal) => Object.keys(partsOf(proposal).fields)))].slice(
    0,
    40,
  )
}

/** The proposal with most of the wanted values. If several have the same number, the first. */
export function bestOf(
  proposals: readonly Data[],
  values: readonly Wanted[],
  groups: ReadonlyMap<string, Group>,
): Chosen {
  const made = proposals.map((proposal): Chosen => {
    const { recipe, rest, fields } = partsOf(proposal)
    const columns = Object.keys(fields)
    const chosen = values.flatMap((value): readonly Choice[] => {
      // A page has no column of objects.
      const column = value.parts.length > 0 ? null : columnFor(value.name, columns)
      if (column !== null)
        return [{ name: value.name, column, source: sourceFor(fields[column], value) }]
      // Single values that repeat on the page are in one row.
      const group = rest['items'] === undefined ? groups.get(value.name) : undefined
      return group ? [{ name: value.name, column, source: { css: group.items, many: true } }] : []
    })
    const names = chosen.map(({ name }) => name)
    const doubts = chosen.flatMap(({ name, column }) => {
      const group = column === null ? groups.get(name) : undefined
      return group ? [`${group.reason} They are taken as ${name}: see that they are.`] : []
    })
    const used = chosen.flatMap(({ column }) => column ?? [])
    const sources = Object.fromEntries(chosen.map(({ name, source }) => [name, source]))
    return {
      recipe: { ...recipe, extract: { ...rest, fields: sources } },
      unused: Object.fromEntries(Object.entries(fields).filter(([name]) => !used.includes(name))),
      missing: values.flatMap(({ name }) => (names.includes(name) ? [] : [name])),
      ...(doubts.length > 0 && { doubts }),
    }
  })
  return (
    made.toSorted((left, right) => left.missing.length - right.missing.length)[0] ?? {
      recipe: {},
      unused: {},
      missing: values.map(({ name }) => name),
    }
  )
}

/** The same recipe, which asks a model for the missing values. */
export function withQuestions(
  { recipe, missing }: RecipeOfWanted,
  values: readonly Wanted[],
): RecipeOfWanted {
  const parts = isObject(recipe['extract']) ? recipe['extract'] : {}
  const questions = values
    .filter(({ name }) => missing.includes(name))
    .map((value) => [value.name, questionFor(value)])
  const fields = {
    ...(isObject(parts['fields']) ? parts['fields'] : {}),
    ...Object.fromEntries(questions),
  }
  return { recipe: { ...recipe, extract: { ...parts, fields } }, missing: [] }
}
