import { measureRecipe } from '../../engine/recipe/measure-recipe.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { PlatformError, badRequest } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Pace } from '../../kernel/pace.ts'
import { checkSchema } from '../../kernel/schema.ts'
import type { KeyPart } from '../../kernel/key.ts'
import { Change } from '../../records/change.ts'
import type { Collection } from '../../records/collection.ts'
import { eachFew } from '../../records/paginate.ts'
import type { Core } from '../core.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { TaskRecord } from '../tasks/records.ts'
import { taskInFileSchema } from './schema.ts'
import type { TaskInFile } from './schema.ts'
import type { TaskFile, TaskImportOptions } from './task-file.ts'

/**
 * Maximum size of all recipes of a file, in the units of a recipe's size. It is twice the maximum
 * of one recipe.
 */
const MOST_UNITS = 100_000
/** Index entries that are read at once. */
const ENTRIES = 500
/** One task of the file, and the task that it will change. */
export interface Planned {
  /** Position in the file. */
  readonly at: number
  readonly name: string | null
  readonly task: TaskInFile | null
  /** The task of the account to change. `null`: a new one is created. */
  readonly old: TaskRecord | null
  readonly recipe: ParsedRecipe | null
  readonly refused: PlatformError | null
}

/** Finds for each task of a file the task of the account to change, a few at once. */
export async function planImport(
  core: Core,
  account: string,
  { tasks }: TaskFile,
  { by = 'name', dryRun = false }: TaskImportOptions,
  pace: Pace,
): Promise<readonly Planned[]> {
  const idsOf = by === 'name' ? await idsByName(core, account, pace, !dryRun) : null
  const keys = new Set<string>()
  let units = 0
  const planned: Planned[] = []
  for (const [index, entry] of tasks.entries()) {
    const name = typeof entry['name'] === 'string' ? entry['name'].slice(0, 200) : null
    try {
      const checked = checkSchema(taskInFileSchema, entry)
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
  if (key === undefined)
    throw badRequest([{ path: 'id', message: 'is required for an import by id' }])
  if (keys.has(key)) throw badRequest([{ path: by, message: 'is also the key of an earlier task' }])
  keys.add(key)
  const ids = idsOf === null ? [key] : (idsOf.get(key.toWellFormed()) ?? [])
  if (ids.length > 1)
    throw badRequest([
      { path: 'name', message: `is that of ${ids.length} tasks: use an import by id` },
    ])
  const stored = ids[0] === undefined ? null : await records.tasks.get(account, ids[0])
  if (stored === null && by === 'id')
    throw badRequest([
      { path: 'id', message: 'is not a task of this account; an import by name creates tasks' },
    ])
  // A task that was renamed after its name was read no longer matches.
  return stored && (by === 'id' || stored.value.name === name) ? stored.value : null
}

/**
 * The ids of all tasks by name. Names are read from their index, because recipes may have a
 * megabyte each. Tasks of earlier versions are not in the index. They are read whole, and with
 * `mayWrite` they are added to it.
 */
async function idsByName(
  { records }: Core,
  account: string,
  pace: Pace,
  mayWrite: boolean,
): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>()
  const named = new Set<string>()
  const note = (name: string, id: string): void => {
    ids.set(name, [...(ids.get(name) ?? []), id])
    named.add(id)
  }
  for await (const [name, id] of positionsOf(records.tasks, account, 'name', pace))
    note(String(name), String(id))
  const lacking: string[][] = []
  for await (const [, id] of positionsOf(records.tasks, account, 'status', pace))
    if (!named.has(String(id))) lacking.push([String(id)])
  for await (const task of eachFew(records.tasks, account, lacking)) {
    note(task.value.name.toWellFormed(), task.value.id)
    if (mayWrite) {
      const change = new Change()
      records.tasks.reindex(change, account, task)
      // If the task was changed meanwhile, the next import adds it to the index.
      await records.commit(change)
    }
    const rest = pace.step()
    if (rest) await rest
  }
  return ids
}

async function* positionsOf(
  tasks: Collection<TaskRecord>,
  account: string,
  index: string,
  pace: Pace,
): AsyncGenerator<readonly KeyPart[]> {
  for (let after: readonly KeyPart[] | undefined; ;) {
    const page: readonly (readonly KeyPart[])[] = await tasks.listPositions(index, account, {
      limit: ENTRIES,
      ...(after && { after }),
    })
    yield* page
    after = page.at(-1)
    if (page.length < ENTRIES) return
    const rest = pace.step()
    if (rest) await rest
  }
}

/**
 * The recipe of a file, completed by the task's headers that an export leaves out.
 *
 * @throws {PlatformError} 400 at each header that the task does not have
 */
function withSecrets(recipe: JsonObject, old: TaskRecord | null): JsonObject {
  const { page } = recipe
  if (!isObject(page) || !isObject(page['headers'])) return recipe
  const issues: Issue[] = []
  const headers = Object.entries(page['headers']).map(([name, value]): [string, Json] => {
    const current = old?.recipe.page?.headers?.[name]
    if (value !== null || current !== undefined) return [name, value ?? current ?? null]
    issues.push({
      path: `recipe.page.headers.${name}`,
      message: 'was left out of the file, because it may be secret: write its value',
    })
    return [name, value]
  })
  if (issues.length > 0) throw badRequest(issues)
  return { ...recipe, page: { ...page, headers: Object.fromEntries(headers) } }
}
