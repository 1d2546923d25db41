import { createPlatform } from '../../../src/index.ts'

/** The parts of JSON Schema that the description of the API uses. */
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/** The page's sections, by component of the schema, in the order of a recipe. */
const TITLES = {
  Recipe: 'The recipe',
  RecipeParam: 'A parameter',
  StartSearchOptions: 'A search',
  PageAction: 'An action',
  ExtractRules: 'Extraction',
  FieldSource: 'A source of a field',
  ValueFormat: 'A format of a value',
  TransformStep: 'A step of a transform',
  PatternReplacement: 'A replacement of a pattern',
} as const

/** Tables of every key of a recipe, made from the schema that checks recipes. */
export async function recipeReference(): Promise<string> {
  const platform = createPlatform({ logger: { warn() {}, error() {}, info() {}, debug() {} } })
  const answer = await platform.fetch(new Request('http://127.0.0.1/api/v1/openapi.json'))
  const {
    components: { schemas },
  }: { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } } =
    await answer.json()
  await platform.close()
  const sections = Object.entries(TITLES).map(([name, title]) => {
    const schema = schemas[name]
    if (schema === undefined) throw new Error(`The description of the API has no ${name}`)
    const rows = rowsOf(schema, '')
    if (rows.length === 0) throw new Error(`${name} has no keys`)
    const about = schema.description === undefined ? '' : `${schema.description}\n\n`
    return `## ${title}\n\n${about}| key | value | |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return sections.join('\n')
}

/** A row for each key, those of objects and lists inside too. */
function rowsOf(schema: Schema, above: string): string[] {
  const variants = schema.anyOf ?? [schema]
  const rows = variants.flatMap((variant) =>
    Object.entries(variant.properties ?? {}).flatMap(([key, value]) => {
      const path = `${above}${key}`
      const isRequired = variant.required?.includes(key) ? '**required.** ' : ''
      const about = `${isRequired}${value.description ?? ''}`.trim()
      return [
        `| \`${path}\` | ${cell(typeOf(value))} | ${cell(about)} |`,
        ...rowsOf(value, `${path}.`),
        ...(value.items ? rowsOf(value.items, `${path}[].`) : []),
      ]
    }),
  )
  return [...new Set(rows)]
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return linkOf(schema.$ref.split('/').at(-1) ?? '')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`
  if (schema.items) return `list of ${typeOf(schema.items)}${bounds(schema)}`
  if (typeof schema.additionalProperties === 'object')
    return `object of ${typeOf(schema.additionalProperties)}`
  return `${schema.type ?? 'any JSON'}${bounds(schema)}`
}

function bounds({ minimum, maximum, maxLength, maxItems }: Schema): string {
  const count = (value: number) => value.toLocaleString('en')
  if (minimum !== undefined && maximum !== undefined)
    return `, ${count(minimum)} to ${count(maximum)}`
  const most = maximum ?? maxLength ?? maxItems
  const unit = maxLength !== undefined ? ' characters' : ''
  return most === undefined ? '' : `, at most ${count(most)}${unit}`
}

function linkOf(component: string): string {
  const title = Object.entries(TITLES).find(([name]) => name === component)?.[1]
  if (title !== undefined) return `[${title.toLowerCase()}](#${anchor(title)})`
  const plain: Readonly<Record<string, string>> = {
    RecipeParams: 'object of [a parameter](#a-parameter)',
    StartSearch: 'string or [a search](#a-search)',
    Extract: '`"auto"` or [extraction](#extraction)',
    Fields: 'object of [fields](#a-source-of-a-field)',
    Field: '[a field](#a-source-of-a-field)',
    Transform: 'a word or [a step](#a-step-of-a-transform)',
    Replacement: '[text, with] or [a replacement of a pattern](#a-replacement-of-a-pattern)',
    ValueReading: 'a type or [a format](#a-format-of-a-value)',
  }
  const text = plain[component]
  if (text === undefined) throw new Error(`The reference has no section for ${component}`)
  return text
}

const anchor = (title: string): string => title.toLowerCase().replaceAll(' ', '-')
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
