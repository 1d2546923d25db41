import { ToolFailure } from './api.ts'
import { wantedIn, wantedOf, MOST_COLUMNS, MOST_LEVELS, MOST_PARTS } from './wanted.ts'
import type { Wanted } from './wanted.ts'

type Data = { readonly [name: string]: unknown }

/**
 * The values that an agent wants, by its schema or its words. Empty: it wants all detected values.
 *
 * @throws {ToolFailure} for a schema without properties, or too many of them
 */
export function readWanted({
  schema,
  wanted: words,
}: {
  readonly schema: Data | undefined
  readonly wanted: string | undefined
}): readonly Wanted[] {
  const values = schema ? wantedOf(schema) : words === undefined ? [] : wantedIn(words)
  if (schema && values.length === 0)
    throw new ToolFailure(
      'BAD_REQUEST: arguments.schema names no properties: give a JSON Schema with properties, or ' +
        'a list of such objects in items. Correct the arguments and call again.',
    )
  demandReadable(values)
  return values
}

/** A recipe accepts no longer names. */
const LONGEST_NAME = 128

/** @throws {ToolFailure} for a schema that would make the recipe too large */
function demandReadable(values: readonly Wanted[]): void {
  const all = values.flatMap((value) => withParts(value, value.name))
  const parts = all.length - values.length
  const isLong = all.some(({ value }) => value.name.length > LONGEST_NAME)
  const deep = all.find(({ value }) => value.isTooDeep)
  const refusal =
    values.length > MOST_COLUMNS
      ? `has more than ${MOST_COLUMNS} properties. Ask for those that are needed.`
      : parts > MOST_PARTS
        ? `has more than ${MOST_PARTS} properties in objects below its columns. Ask for those that ` +
          'are needed.'
        : isLong
          ? `has a property whose name is longer than ${LONGEST_NAME} characters. Give it a shorter one.`
          : deep !== undefined
            ? `has an object at ${deep.path.slice(0, 200)}, within ${MOST_LEVELS} others. Make its ` +
              'properties those of an object above it, or leave it out.'
            : null
  if (refusal !== null) throw new ToolFailure(`BAD_REQUEST: arguments.schema ${refusal}`)
}

/** A wanted value and all its parts, each with its path. */
function withParts(
  value: Wanted,
  path: string,
): readonly { readonly value: Wanted; readonly path: string }[] {
  return [
    { value, path },
    ...value.parts.flatMap((part) => withParts(part, `${path}.${part.name}`)),
  ]
}
