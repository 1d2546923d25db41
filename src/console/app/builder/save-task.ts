import { SeineError } from '../../../client.ts'
import type { Client, RecipeInput, Task, TaskPatch } from '../../../client.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'
import { draft, isChangedElsewhere, noteSave } from './draft.ts'

/** The most characters of a name. */
export const MOST_NAME = 200

/** A task as it is saved. */
export type NamedRecipe = TaskPatch & { readonly recipe: RecipeInput }

/** Gives a task a new recipe, unless its recipe was changed elsewhere since the draft was begun. */
export async function updateTask(id: string, change: NamedRecipe): Promise<Task> {
  const now = await client.value.tasks.get(id)
  if (isChangedElsewhere(draft.value, now))
    throw new SeineError('conflict', words.finish.changed, { status: 409 })
  noteSave(change.recipe)
  // Its condition changes with the task, and it may be done twice: it has no key of an attempt.
  return client.value.tasks.update(id, change, { ifMatch: now })
}

/** The name that each attempt has chosen. Done again, it is not another task. */
const chosen = new WeakMap<Client, string>()

/** A name for a new task: with a number if another task has it, as far as the key may see that. */
export async function freeName(api: Client, typed: string): Promise<string> {
  const before = chosen.get(api)
  if (before !== undefined) return before
  let free = cutName(typed)
  if (can('tasks:read')) {
    const { items } = await api.tasks.list({ q: cutName(typed, ' (99)'), limit: 100 })
    const names = new Set(items.map((task) => task.name))
    for (let number = 2; names.has(free); number++) {
      const end = ` (${number})`
      free = cutName(typed, end) + end
    }
  }
  chosen.set(api, free)
  return free
}

/** A name that leaves room for its end, and has no half of a character. */
export function cutName(name: string, end = ''): string {
  return name.slice(0, MOST_NAME - end.length).replace(/[\ud800-\udbff]$/, '')
}
