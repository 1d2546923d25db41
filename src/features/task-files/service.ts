import { mayBeSecret } from '../../engine/egress/headers.ts'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { FEW, eachPage } from '../../records/paginate.ts'
import { pullStream } from '../common/export-rows.ts'
import type { ExportFile } from '../common/downloads.ts'
import { isoTime } from '../common/time.ts'
import type { Core } from '../core.ts'
import type { TaskRecord } from '../tasks/records.ts'
import type { Tasks } from '../tasks/service.ts'
import type { TaskFile, TaskImport, TaskImportOptions } from './task-file.ts'

/** Export of all tasks of an account to a file, and import from it. */
export interface TaskFiles {
  /** The oldest task first. Headers of recipes that may be secret are `null`. */
  export(principal: Principal): Promise<ExportFile>
  /**
   * Creates, updates or refuses each task of a file as a whole. A second import changes nothing.
   *
   * @throws {PlatformError} 400 for recipes that are too large together; 409 if the account would
   *   have more tasks than it may, and nothing is written
   */
  import(
    principal: Principal,
    file: TaskFile,
    options?: TaskImportOptions,
    preconditions?: Preconditions,
  ): Promise<TaskImport>
}

const encoder = new TextEncoder()

/** The service of files of tasks. */
export function createTaskFiles(core: Core, tasks: Tasks): TaskFiles {
  const { records, shares, clock } = core

  async function* chunks(account: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const webhooks = new Map<string, string[]>()
    for await (const page of eachPage(records.webhooks, account))
      for (const { value } of page)
        for (const task of value.taskIds)
          webhooks.set(task, [...(webhooks.get(task) ?? []), value.id])
    let before = `{"version":1,"exportedAt":${JSON.stringify(isoTime(clock.now()))},"tasks":[`
    for await (const page of eachPage(records.tasks, account, [], FEW))
      for (const { value } of page) {
        yield encoder.encode(
          `${before}\n${JSON.stringify(inFile(value, webhooks.get(value.id) ?? []))}`,
        )
        before = ','
      }
    yield encoder.encode(before === ',' ? '\n]}\n' : `${before}]}\n`)
  }

  return {
    export: async ({ account }) => ({
      name: 'tasks.json',
      contentType: 'application/json',
      body: await pullStream(chunks(account), { account, shares }),
    }),
    async import(principal, file, options = {}, preconditions) {
      const { importTasks } = await import('./import-tasks.ts')
      return importTasks(core, tasks, principal, file, options, preconditions)
    },
  }
}

/** A task in the form that it has in a file. */
function inFile(
  { id, name, description, labels, status, schedule, datasetId, recipe }: TaskRecord,
  webhookIds: readonly string[],
): object {
  return {
    id,
    name,
    description,
    labels,
    status,
    schedule: schedule ?? null,
    datasetId: datasetId ?? null,
    webhookIds,
    recipe: withoutSecrets(recipe),
  }
}

/** A recipe in which the values of headers that may be secret are `null`. */
function withoutSecrets(recipe: RecipeInput): object {
  const headers = recipe.page?.headers
  if (headers === undefined) return recipe
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    mayBeSecret(name) ? null : value,
  ])
  return { ...recipe, page: { ...recipe.page, headers: Object.fromEntries(shown) } }
}
