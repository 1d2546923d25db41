import { join } from 'node:path'
import { safeParse, type GenericSchema } from 'valibot'
import type { AnyRoute } from '../../../src/kernel/http/route.ts'
import { recipeSchema } from '../../../src/engine/recipe/schema.ts'
import { formatted } from './formatted.ts'
import { readSources, root } from './sources.ts'
import { typeSource } from './type-source.ts'

type Schema = GenericSchema<unknown, unknown>

/** A schema that a module exports. */
interface Named {
  readonly name: string
  readonly module: string
}

const NOTE =
  '// Made from the route table: do not edit. After a change of routes or schemas: npm run client\n'

/** The resource of those who run the platform. Few programs use it, so it has a file of its own. */
const OPERATOR = 'operator'

/**
 * The texts of src/client/types.ts, operations.ts, operator.ts and resources.ts, made from the rows
 * and schemas of src/features.
 */
export async function clientSource(): Promise<{
  readonly types: string
  readonly operations: string
  readonly operator: string
  readonly resources: string
}> {
  const routes = await Promise.all(
    (await featureRoutes())
      .filter(hasMethod)
      .map(async (row) => ({ row, data: await row.data?.() })),
  )
  const types = new Types(await exportedSchemas())
  const resources = [
    ...Map.groupBy(routes, ({ row: { operation } }) => operation.slice(0, operation.indexOf('.'))),
  ].map(([name, rows]) => ({
    name,
    methods: rows.flatMap(({ row, data }) => methodsOf(row, data, types)),
  }))
  const [most, operator] = [false, true].map((isOperator) =>
    types.only(({ module }) => module.startsWith(`src/features/${OPERATOR}/`) === isOperator),
  )
  if (!most || !operator) throw new Error('There are two parts')
  const interfaceOf = ({ name, methods }: (typeof resources)[number]): string =>
    `/** Operations of \`${name}\`. */\nexport interface ${typeName(name)}Resource {\n` +
    methods.map(({ doc, signature }) => `  /** ${doc}. */\n  ${signature}\n`).join('') +
    '}\n\n'
  const declarationsOf = (part: Types, ...more: readonly string[]): string[] => [
    ...part.imports(),
    `import type { ${[...part.helpers(), ...more].toSorted().join(', ')} } from './from-schema.ts'\n`,
  ]
  const isOfOperator = ({ name }: { readonly name: string }): boolean => name === OPERATOR
  const shared = most.namesIn(`${OPERATOR}.`)
  const operators = [
    NOTE,
    ...resources
      .filter((resource) => isOfOperator(resource) && interfaceOf(resource).includes('<Download>'))
      .map(() => "import type { Download } from './download.ts'\n"),
    ...declarationsOf(operator, ...(types.pages ? ['ListPage'] : [])),
    "import type { CallOptions } from './options.ts'\n",
    shared.length > 0 ? `import type { ${shared.join(', ')} } from './types.ts'\n\n` : '\n',
    operator.declarations().join('\n'),
    '\n',
    ...resources.filter(isOfOperator).map(interfaceOf),
  ]
  const declarations = [NOTE, ...declarationsOf(most), '\n', most.declarations().join('\n')]
  const others = resources.filter((resource) => !isOfOperator(resource))
  const used = most
    .names()
    .filter((name) => others.some(({ name: one }) => most.namesIn(`${one}.`).includes(name)))
  const operations = [
    NOTE,
    "import type { Download } from './download.ts'\n",
    ...(types.pages ? ["import type { ListPage } from './from-schema.ts'\n"] : []),
    "import type { OperatorResource } from './operator.ts'\n",
    "import type { CallOptions } from './options.ts'\n",
    `import type {\n${inLines(used)}\n} from './types.ts'\n\n`,
    ...others.map(interfaceOf),
    '/** All operations, by resource. */\nexport interface Resources {\n' +
      resources.map(({ name }) => `  readonly ${name}: ${typeName(name)}Resource\n`).join('') +
      '}\n',
  ]
  const implementation = [
    NOTE,
    "import type { Call } from './call.ts'\n" +
      "import type { Resources } from './operations.ts'\nimport { path } from './path.ts'\n\n",
    '/** The methods of all operations. */\nexport function createResources(call: Call): Resources {\n  return {\n',
    ...resources.map(
      ({ name, methods }) =>
        `    ${name}: {\n${methods.map(({ code }) => `      ${code},\n`).join('')}    },\n`,
    ),
    '  }\n}\n',
  ]
  return {
    types: await formatted('types.ts', declarations.join('')),
    operations: await formatted('operations.ts', operations.join('')),
    operator: await formatted('operator.ts', operators.join('').trimEnd() + '\n'),
    resources: await formatted('resources.ts', implementation.join('')),
  }
}

/** Components of the recipe's schema whose type has another name. */
const RECIPE_NAMES = { Recipe: 'RecipeInput', Extract: 'Extraction', StartSearch: 'SearchInput' }

/** The text of src/engine/recipe/recipe-input.ts, made from the schema of recipes. */
export async function recipeSource(): Promise<string> {
  const source = [
    '// Made from the schema of recipes: do not edit. After a change of it: npm run client\n',
    "import type { Json } from '../../kernel/json.ts'\n\n",
    typeSource(recipeSchema, RECIPE_NAMES).join('\n'),
  ]
  // The formatter wraps comments as they are indented in what it is given: indented only now.
  const indented = await formatted('recipe-input.ts', source.join(''))
  return formatted('recipe-input.ts', indented)
}

/** Every row of every feature's part of the route table. */
export async function featureRoutes(): Promise<AnyRoute[]> {
  const rows: AnyRoute[] = []
  for (const path of filesOf(/\/routes\.ts$/)) {
    const module: Record<string, unknown> = await import(join(root, path))
    for (const make of Object.values(module))
      if (typeof make === 'function') rows.push(...make(serviceLike))
  }
  return rows
}

/** Rows are data; what stands behind them is asked for only when one is called. */
const serviceLike: object = new Proxy({}, { get: () => serviceLike })

/**
 * Public raw routes, such as a page of documentation, are for browsers and tools; a stream of
 * events has its own part of the client.
 */
export function hasMethod(route: AnyRoute): boolean {
  return (
    route.data !== undefined ||
    (route.scope !== null && route.raw?.contents['text/event-stream'] === undefined)
  )
}

function filesOf(pattern: RegExp): string[] {
  return [...readSources('src').keys()]
    .filter((path) => path.startsWith('src/features/') && pattern.test(path))
    .toSorted()
}

async function exportedSchemas(): Promise<Map<unknown, Named>> {
  const names = new Map<unknown, Named>()
  for (const path of filesOf(/(schema|answers)\.ts$/)) {
    const module: Record<string, unknown> = await import(join(root, path))
    for (const [name, value] of Object.entries(module))
      if (typeof value === 'object' && value !== null) names.set(value, { name, module: path })
  }
  return names
}

type Helper = 'Asked' | 'Received' | 'Sent'

/** Collects the types that the methods use. */
class Types {
  readonly #schemas: ReadonlyMap<unknown, Named>
  readonly #used = new Map<
    string,
    { readonly schema: Named; readonly helper: Helper; readonly uses: Set<string> }
  >()
  /** Whether a method gives a page of a list. */
  pages = false

  constructor(schemas: ReadonlyMap<unknown, Named>) {
    this.#schemas = schemas
  }

  /** The type of a schema that a module exports by a name ending in `Schema`. */
  use(schema: Schema | undefined, helper: Helper, operation: string): string {
    const named = this.#schemas.get(schema)
    if (!named?.name.endsWith('Schema'))
      throw new Error(`${operation}: export this schema from a schema.ts, as somethingSchema`)
    const name = typeName(named.name.replace(/Schema$/, ''))
    const used = this.#used.get(name) ?? { schema: named, helper, uses: new Set() }
    if (used.schema !== named || used.helper !== helper)
      throw new Error(`${operation}: the name ${name} is taken`)
    this.#used.set(name, { ...used, uses: used.uses.add(operation) })
    return name
  }

  /** The type of a row's `data`, and of its items if it is a list. */
  data(schema: Schema, operation: string): { readonly data: string; readonly item: string | null } {
    const items = entryOf(schema, 'items')
    const item = items && 'item' in items ? items.item : null
    // A feed has a cursor at its end too: nobody can walk over all of it.
    const next = entryOf(schema, 'nextCursor')
    const isList = item !== null && isSchema(next) && safeParse(next, null).success
    if (this.#schemas.has(schema)) {
      const data = this.use(schema, 'Received', operation)
      return { data, item: isList ? `${data}['items'][number]` : null }
    }
    if (!isList) return { data: this.use(schema, 'Received', operation), item: null }
    this.pages = true
    const itemType = this.#nameOf(item, operation)
    return { data: `ListPage<${itemType}>`, item: itemType }
  }

  #nameOf(item: unknown, operation: string): string {
    for (const schema of this.#schemas.keys())
      if (schema === item && isSchema(schema)) return this.use(schema, 'Received', operation)
    throw new Error(`${operation}: export the schema of its items`)
  }

  /** The types of some modules. */
  only(isChosen: (schema: Named) => boolean): Types {
    const part = new Types(this.#schemas)
    for (const [name, use] of this.#used) if (isChosen(use.schema)) part.#used.set(name, use)
    return part
  }

  /** The names of the types that operations use whose names begin so. */
  namesIn(operations: string): string[] {
    return this.names().filter((name) =>
      [...(this.#used.get(name)?.uses ?? [])].some((use) => use.startsWith(operations)),
    )
  }

  imports(): string[] {
    const byModule = Map.groupBy(this.#used.values(), ({ schema }) => schema.module)
    return [...byModule].toSorted().map(
      ([module, used]) =>
        `import type { ${used
          .map(({ schema }) => schema.name)
          .toSorted()
          .join(', ')} } from '${module.replace('src/', '../')}'\n`,
    )
  }

  helpers(): string[] {
    return [...new Set([...this.#used.values()].map(({ helper }) => helper))].toSorted()
  }

  names(): string[] {
    return [...this.#used.keys()].toSorted()
  }

  declarations(): string[] {
    const what = { Sent: 'Body of', Asked: 'Query of', Received: 'Given by' }
    return [...this.#used]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([name, { schema, helper, uses }]) =>
          `/** ${what[helper]} ${[...uses].map((use) => `\`${use}\``).join(', ')}` +
          `. */\nexport type ${name} = ${helper}<typeof ${schema.name}>\n`,
      )
  }
}

interface Method {
  readonly signature: string
  readonly doc: string
  readonly code: string
}

/** The method of a row, and the iteration beside it if the row is a list. */
function methodsOf(route: AnyRoute, answer: GenericSchema | undefined, types: Types): Method[] {
  const { operation, method, summary } = route
  const name = operation.slice(operation.indexOf('.') + 1)
  if (!/^\w+$/.test(name)) throw new Error(`${operation}: no method can be made for it`)
  const ids = [...route.path.matchAll(/:(\w+)/g)].map(([, id]) => id ?? '')
  const inputs = (['body', 'query'] as const).flatMap((part) => {
    const schema = route[part]
    if (!schema) return []
    const type = types.use(schema, part === 'body' ? 'Sent' : 'Asked', operation)
    const mayLack = safeParse(schema, part === 'body' ? undefined : {}).success
    return [{ part, declared: `${part}${mayLack ? '?' : ''}: ${type}` }]
  })
  const members = inputs.map(({ part }) => part).join(', ')
  const parameters = [
    ...ids.map((id) => `${id}: string`),
    ...inputs.map(({ declared }) => declared),
    'options?: CallOptions',
  ].join(', ')
  const names = [...ids, ...inputs.map(({ part }) => part), 'options'].join(', ')
  const below = route.path.replace(/^\/api\/v1/, '')
  const path = ids.length === 0 ? `'${below}'` : `path\`${below.replaceAll(/:(\w+)/g, '${$1}')}\``
  const file = (as: string): Method => ({
    doc: summary,
    signature: `${as}(${parameters}): Promise<Download>`,
    code: `${as}: async (${names}) => call.file(${path}, ${members || '{}'}, options)`,
  })
  if (!answer) return [file(name)]
  // A query that chooses between data and files has a method for each.
  if (route.raw && route.raw.contents['text/event-stream'] === undefined)
    return [
      {
        doc: summary,
        signature: `${name}(${parameters}): Promise<${types.data(answer, operation).data}>`,
        code:
          `${name}: async (${names}) => call.data('${method}', ${path}, ` +
          `${members ? `{ ${members} }` : '{}'}, options)`,
      },
      file(`${name}File`),
    ]
  const { data, item } = types.data(answer, operation)
  const one = {
    doc: summary,
    signature: `${name}(${parameters}): Promise<${data}>`,
    code: `${name}: async (${names}) => call.data('${method}', ${path}, ${members ? `{ ${members} }` : '{}'}, options)`,
  }
  if (item === null) return [one]
  const each = name.startsWith('list')
    ? name.replace('list', 'iterate')
    : `iterate${typeName(name)}`
  return [
    one,
    {
      doc: `${summary}: all of them, page after page`,
      signature: `${each}(${parameters}): AsyncGenerator<${item}, void, undefined>`,
      code: `${each}: (${names}) => call.each(${path}, ${members || '{}'}, options)`,
    },
  ]
}

/** Names with commas, in lines of about 120 characters. */
function inLines(names: readonly string[]): string {
  const lines = ['']
  for (const name of names) {
    const line = lines.at(-1) ?? ''
    if (line.length + name.length < 116) lines[lines.length - 1] = `${line} ${name},`
    else lines.push(` ${name},`)
  }
  return lines.map((line) => ` ${line}`).join('\n')
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema'
}

function entryOf(schema: object, name: string): object | null {
  if (!('entries' in schema) || typeof schema.entries !== 'object' || schema.entries === null)
    return null
  const entry: unknown = Reflect.get(schema.entries, name)
  return typeof entry === 'object' ? entry : null
}

function typeName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
