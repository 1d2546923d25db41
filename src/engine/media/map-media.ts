import { isList, isStructure } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type { MediaPath } from '../recipe/columns.ts'

/** A media value of a row: the source of the bytes and their properties. */
export interface MediaValue {
  readonly sourceUrl: string
  readonly [fact: string]: Json
}

/** Replaces each media value of a row along the paths, through lists too. */
export function mapMedia(
  row: Row,
  paths: readonly MediaPath[],
  map: (value: MediaValue) => Json,
): Row {
  return paths.reduce((mapped, path) => mapMember(mapped, path, 0, map), row)
}

function mapMember(
  row: Row,
  path: MediaPath,
  depth: number,
  map: (value: MediaValue) => Json,
): Row {
  const name = path[depth] ?? ''
  const value = Object.hasOwn(row, name) ? row[name] : undefined
  if (value === undefined || value === null) return row
  const mapped = mapValue(value, path, depth + 1, map)
  return mapped === value ? row : { ...row, [name]: mapped }
}

function mapValue(
  value: Json,
  path: MediaPath,
  depth: number,
  map: (value: MediaValue) => Json,
): Json {
  if (!isStructure(value)) return value
  if (isList(value)) return value.map((item) => mapValue(item, path, depth, map))
  if (depth < path.length) return mapMember(value, path, depth, map)
  return isMedia(value) ? map(value) : value
}

function isMedia(value: Row): value is MediaValue {
  return typeof value['sourceUrl'] === 'string'
}
