import type { JsonObject } from '../../kernel/json.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import type { Executions, RunInput } from '../executions/service.ts'
import { readPage } from '../common/list-page.ts'
import type { ListPage, ListQuery } from '../common/list-page.ts'
import type { Previews } from '../previews/service.ts'
import type { Tasks } from '../tasks/service.ts'
import type { Task } from '../tasks/task.ts'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import type { ParamValues } from '../../engine/recipe/fill-blanks.ts'
import type {
  PreparedTemplates,
  TemplateDetails,
  TemplateSummary,
  TemplatesOption,
} from './prepare-templates.ts'
import type { Template } from './template.ts'
import { searchTemplates } from './search-templates.ts'
import type { Core } from '../core.ts'

/** Filters of the catalog. Both conditions must hold. */
export interface TemplateQuery extends ListQuery {
  /** Search words. The best match comes first. */
  readonly q?: string
  readonly category?: string
}

/** A run of a template. */
export interface TemplateRun {
  readonly params: ParamValues
  /** Replace single entries of the recipe's budget. */
  readonly budget?: NonNullable<RunInput['budget']>
}

/** A preview of a template. */
export interface TemplatePreview {
  readonly params: ParamValues
  /** Ends the preview. The results found by then are the answer. */
  readonly signal?: AbortSignal
}

/** A task made from a template. */
export interface TemplateTask {
  readonly params: ParamValues
  /** Default: the template's name. */
  readonly name?: string
  readonly labels?: readonly string[]
}

/**
 * The catalog, which is the same for every account, and an account's use of it. Invalid parameters
 * are 400 with paths below `params`.
 */
export interface Templates {
  /** In the catalog's order, or the best match first. */
  list(query?: TemplateQuery): Promise<ListPage<TemplateSummary>>
  /** All categories with their number of templates, the largest first. */
  categories(): Promise<ListPage<{ readonly name: string; readonly templates: number }>>
  get(id: string): Promise<TemplateDetails>
  /** The recipe for these parameters. Nothing is stored or visited. */
  fill(id: string, params: ParamValues): Promise<JsonObject>
  /** Queues an execution that belongs to no task. */
  run(
    principal: Principal,
    id: string,
    input: TemplateRun,
    preconditions?: Preconditions,
  ): ReturnType<Executions['run']>
  /**
   * Visits the first pages of the filled recipe and reports what its parts found there. Stores no
   * results.
   *
   * @throws {PlatformError} 429 beyond the day's quota
   */
  preview(principal: Principal, id: string, input: TemplatePreview): ReturnType<Previews['run']>
  /** Saves the filled recipe as a task. The task does not depend on the template from then on. */
  save(
    principal: Principal,
    id: string,
    input: TemplateTask,
    preconditions?: Preconditions,
  ): Promise<Task>
}

/** The service of templates. The catalog is loaded on first use. */
export function createTemplates(
  { cursors, tariff }: Core,
  {
    tasks,
    executions,
    previews,
    own,
  }: {
    readonly tasks: Tasks
    readonly executions: Executions
    readonly previews: Previews
    readonly own: TemplatesOption
  },
): Templates {
  let loading: Promise<PreparedTemplates> | null = null
  const prepared = () =>
    (loading ??= import('./prepare-templates.ts').then(({ prepareTemplates }) =>
      prepareTemplates(own, tariff.prices),
    ))
  /** Calls `use` with the recipe for these values. Its errors get the paths of the values. */
  const withFilled = async <T>(
    id: string,
    values: ParamValues,
    use: (recipe: RecipeInput, template: Template) => Promise<T>,
  ): Promise<T> => {
    const [{ find }, { blameParameters, fillBlanks, paramOfText }] = await Promise.all([
      prepared(),
      import('../../engine/recipe/fill-blanks.ts'),
    ])
    const template = find(id)
    const recipe = fillBlanks(template, values)
    return blameParameters(paramOfText(recipe, values), () => use(recipe, template))
  }

  return {
    async list(query = {}) {
      const { words, summaryOf } = await prepared()
      const matching =
        query.q === undefined
          ? words.map(({ template }) => template)
          : searchTemplates(words, query.q)
      const templates =
        query.category === undefined
          ? matching
          : matching.filter(({ categories }) => categories.some((name) => name === query.category))
      const context = {
        account: '',
        operation: 'templates.list',
        filter: [query.q ?? null, query.category ?? null],
      }
      return readPage(cursors, context, query, async (after, limit) => {
        // The cursor is an id, so that no template is skipped if another is added between two
        // requests.
        const start = after === null ? 0 : templates.findIndex(({ id }) => id === after[0]) + 1
        const page = templates.slice(start, start + limit)
        const last = page.at(-1)
        return {
          items: page.map(summaryOf),
          next: last && start + limit < templates.length ? [last.id] : null,
        }
      })
    },

    async categories() {
      const counts = new Map<string, number>()
      for (const { template } of (await prepared()).words)
        for (const name of template.categories) counts.set(name, (counts.get(name) ?? 0) + 1)
      const items = [...counts]
        .map(([name, templates]) => ({ name, templates }))
        .toSorted((a, b) => b.templates - a.templates || (a.name < b.name ? -1 : 1))
      return { items, nextCursor: null }
    },

    async get(id) {
      const { find, detailsOf } = await prepared()
      return detailsOf(find(id))
    },

    fill: (id, params) => withFilled(id, params, async (recipe) => recipe),

    run: (principal, id, { params, budget }, preconditions) =>
      withFilled(id, params, (recipe) =>
        executions.run(
          principal,
          { recipe, params, templateId: id, ...(budget && { budget }) },
          preconditions,
        ),
      ),

    preview: (principal, id, { params, signal }) =>
      withFilled(id, params, (recipe) =>
        previews.run(principal, { recipe, scope: `template:${id}`, ...(signal && { signal }) }),
      ),

    save: (principal, id, { params, name, labels }, preconditions) =>
      withFilled(id, params, (recipe, template) =>
        tasks.create(
          principal,
          { name: name ?? template.name, recipe, ...(labels && { labels }) },
          preconditions,
        ),
      ),
  }
}
