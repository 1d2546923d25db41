import { measureRecipe } from '../../engine/recipe/measure-recipe.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Pace } from '../../kernel/pace.ts'
import { checkSchema } from '../../kernel/schema.ts'
import type { Stored } from '../../records/collection.ts'
import { FEW, eachPage } from '../../records/paginate.ts'
import type { Core } from '../core.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { TaskRecord } from '../tasks/records.ts'
import { taskInFileSchema } from './schema.ts'
import type { TaskInFile } from './schema.ts'
import type { TaskFile } from './task-file.ts'

/** Most work of all recipes of a file, in units of a recipe's size: twice that of one recipe. */
const MOST_UNITS = 100_000
/** One task of the file, and what is to become of it. */
export interface Planned {
  /** Position in the file. */
  readonly at: number
  readonly name: string | null
  readonly task: TaskInFile | null
  /** The task of the account that is meant. `null`: none, one is made. */
  readonly old: TaskRecord | null
  readonly recipe: ParsedRecipe | null
  readonly refused: PlatformError | null
}

/** Finds out for each task of a file which task of the account is meant, a few tasks at once. */
export async function planImport(
  core: Core,
  account: string,
  { tasks }: TaskFile,
  by: 'name' | 'id',
  pace: Pace,
): Promise<readonly Planned[]> {
  const idsOf = by === 'name' ? await idsByName(core, account, pace) : null
  const keys = new Set<string>()
  let units = 0
  const planned: Planned[] = []
  for (const [index, written] of tasks.entries()) {
    const name = typeof written['name'] === 'string' ? written['name'].slice(0, 200) : null
    try {
      const checked = checkSchema(taskInFileSchema, written)
      if (checked.issues !== null) throw badRequest(checked.issues)
      const task = checked.output
      const old = await oldOf(core, account, by, task, idsOf, keys)
      const recipe = takeRecipe(withSecrets(task.recipe, old))
      units += measureRecipe(recipe.recipe).units
      planned.push({ at: index, name, task, old, recipe, refused: null })
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      planned.push({ at: index, name, task: null, old: null, recipe: null, refused: error })
    }
    if (units > MOST_UNITS)
      throw badRequest([
        {
          path: `tasks.${index}.recipe`,
          message:
            `the recipes up to here have ${Math.round(units).toLocaleString('en')} units of work, ` +
            `and may have ${MOST_UNITS.toLocaleString('en')}: divide the file among several imports`,
        },
      ])
    const rest = pace.step()
    if (rest) await rest
  }
  return planned
}

/** @throws {PlatformError} 400 if the key of a task is used twice, unknown or not unique */
async function oldOf(
  { records }: Core,
  account: string,
  by: 'name' | 'id',
  { id, name }: TaskInFile,
  idsOf: ReadonlyMap<string, readonly string[]> | null,
  keys: Set<string>,
): Promise<TaskRecord | null> {
  const key = by === 'name' ? name : id
  if (key === undefined) throw badRequest([{ path: 'id', message: 'is required with by=id' }])
  if (keys.has(key)) throw badRequest([{ path: by, message: 'is that of a task before it' }])
  keys.add(key)
  const ids = idsOf === null ? [key] : (idsOf.get(key) ?? [])
  if (ids.length > 1)
    throw badRequest([
      { path: 'name', message: `is that of ${ids.length} tasks; import with by=id` },
    ])
  const stored = ids[0] === undefined ? null : await records.tasks.get(account, ids[0])
  if (stored === null && by === 'id')
    throw badRequest([
      { path: 'id', message: 'is not a task of this account; an import by name makes tasks' },
    ])
  return stored?.value ?? null
}

async function idsByName(
  { records }: Core,
  account: string,
  pace: Pace,
): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>()
  for await (const page of eachPage(records.tasks, account, [], FEW)) {
    for (const task of page) {
      const name = nameOf(task)
      ids.set(name, [...(ids.get(name) ?? []), String(task.id[0])])
    }
    const rest = pace.step()
    if (rest) await rest
  }
  return ids
}

/** The first members of a task, as every store has them: stores keep the order of members. */
const HEAD = /^\{"id":"[\w-]*","name":("(?:[^"\\]|\\.)*")/

/** The name of a task. Its recipe, which may have a megabyte, is not parsed for it. */
function nameOf(task: Stored<TaskRecord>): string {
  const name = HEAD.exec(task.json ?? '')?.[1]
  return name === undefined ? task.value.name : String(JSON.parse(name))
}

/**
 * The recipe of a file with the headers that an export leaves out.
 *
 * @throws {PlatformError} 400 at each header that the task does not have
 */
function withSecrets(recipe: JsonObject, old: TaskRecord | null): JsonObject {
  const { page } = recipe
  if (!isObject(page) || !isObject(page['headers'])) return recipe
  const issues: Issue[] = []
  const headers = Object.entries(page['headers']).map(([name, value]): [string, Json] => {
    const known = old?.recipe.page?.headers?.[name]
    if (value !== null || known !== undefined) return [name, value ?? known ?? null]
    issues.push({
      path: `recipe.page.headers.${name}`,
      message: 'was left out of the file, because it may be secret: write its value',
    })
    return [name, value]
  })
  if (issues.length > 0) throw badRequest(issues)
  return { ...recipe, page: { ...page, headers: Object.fromEntries(headers) } }
}
