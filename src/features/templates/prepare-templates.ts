import { notFound } from '../../kernel/errors.ts'
import type { JsonObject, Row } from '../../kernel/json.ts'
import { priceOf } from '../../kernel/price.ts'
import type { PriceTable } from '../../kernel/price.ts'
import { fillBlanks } from '../../engine/recipe/fill-blanks.ts'
import { searchWordsOf } from './search-templates.ts'
import type { SearchWords } from './search-templates.ts'
import type { Template, TemplateColumn } from './template.ts'

/** A template in the list of the catalog. */
export interface TemplateSummary extends Omit<
  Template,
  'parameters' | 'example' | 'sample' | 'typicalPages' | 'recipe'
> {
  /** JSON Schema (draft 2020-12). */
  readonly parameters: JsonObject
  readonly columns: readonly TemplateColumn[] | null
  readonly price: {
    readonly creditsPerPage: number
    readonly typicalPages: number
    readonly typicalCredits: number
  }
}

/** A template on the wire. */
export interface TemplateDetails extends TemplateSummary {
  readonly example: JsonObject
  /** The recipe of the example parameters. */
  readonly recipe: JsonObject
  readonly sample: readonly Row[]
}

/**
 * An application's templates. They are added to the curated ones and replace those with the same
 * id. `only`: no curated templates.
 */
export type TemplatesOption = readonly Template[] | { readonly only: readonly Template[] }

/** A loaded catalog. */
export interface PreparedTemplates {
  readonly words: readonly SearchWords[]
  /** @throws {PlatformError} 404 */
  find(id: string): Template
  summaryOf(template: Template): TemplateSummary
  detailsOf(template: Template): TemplateDetails
}

/**
 * Loads the curated templates and their descriptions, which few requests need, and adds the
 * application's own.
 *
 * @throws {TypeError} if two of the application's templates have the same id
 */
export async function prepareTemplates(
  own: TemplatesOption,
  prices: PriceTable,
): Promise<PreparedTemplates> {
  const [{ jsonSchemaOf }, curated] = await Promise.all([
    import('./json-schema.ts'),
    'only' in own ? [] : import('./catalog/catalog.ts').then(({ CATALOG }) => CATALOG),
  ])
  const added = 'only' in own ? own.only : own
  const byId = new Map(added.map((template) => [template.id, template]))
  if (byId.size < added.length) throw new TypeError('Two templates have the same id')
  const all = [
    ...curated.map((template) => byId.get(template.id) ?? template),
    ...added.filter(({ id }) => !curated.some((template) => template.id === id)),
  ]
  const templatesById = new Map(all.map((template) => [template.id, template]))

  const summaries = new Map<Template, TemplateSummary>()
  const summarise = (template: Template): TemplateSummary => {
    const {
      id,
      version,
      updatedAt,
      name,
      description,
      categories,
      parameters,
      columns,
      typicalPages,
    } = template
    const creditsPerPage = priceOf('fetched', prices)
    return {
      id,
      version,
      updatedAt,
      name,
      description,
      categories,
      parameters: jsonSchemaOf(parameters),
      columns,
      price: { creditsPerPage, typicalPages, typicalCredits: creditsPerPage * typicalPages },
    }
  }
  // Cached: the list is the most frequent request of the catalog.
  const summaryOf = (template: Template): TemplateSummary => {
    const summary = summaries.get(template) ?? summarise(template)
    summaries.set(template, summary)
    return summary
  }
  return {
    words: all.map(searchWordsOf),
    find(id) {
      const template = templatesById.get(id)
      if (!template) throw notFound('Template')
      return template
    },
    summaryOf,
    detailsOf(template) {
      const example: JsonObject = JSON.parse(JSON.stringify(template.example))
      return {
        ...summaryOf(template),
        example,
        recipe: fillBlanks(template, example),
        sample: template.sample,
      }
    },
  }
}
