import { SeineError } from '../../../client.ts'
import type { Client, RecipeInput, Task, TaskPatch } from '../../../client.ts'
import { can, client } from '../session.ts'
import { words } from '../words.ts'
import { draft, isChangedElsewhere, noteSave } from './draft.ts'

/** Maximum number of characters of a name. */
export const MOST_NAME = 200

/** A task to save. */
export type NamedRecipe = TaskPatch & { readonly recipe: RecipeInput }

/** Gives a task a new recipe, unless its recipe was changed elsewhere since the draft was started. */
export async function updateTask(id: string, change: NamedRecipe): Promise<Task> {
  const now = await client.value.tasks.get(id)
  if (isChangedElsewhere(draft.value, now))
    throw new SeineError('conflict', words.finish.changed, { status: 409 })
  noteSave(change.recipe)
  // The precondition changes with the task, and this may be done twice, so it has no idempotency
  // key.
  return client.value.tasks.update(id, change, { ifMatch: now })
}

/** The name that each attempt has chosen. A repetition does not make another task. */
const chosen = new WeakMap<Client, string>()

/** A name for a new task. If another task has it, as far as the key may see that, it gets a number. */
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

/** A name with room for its end, and without half a character. */
export function cutName(name: string, end = ''): string {
  return name.slice(0, MOST_NAME - end.length).replace(/[\ud800-\udbff]$/, '')
}
