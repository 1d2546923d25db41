import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import type {
  HeaderObject,
  JsonSchema,
  OpenApiDocument,
  Operation,
  Reference,
  ResponseObject,
} from '../../../src/http/openapi/types.ts'

/** Headers of the protocols below the API: any answer may have them. */
const GENERAL =
  /^(content-(type|length|security-policy)|cache-control|vary|x-content-type-options|referrer-policy|access-control-.*)$/
const NAMED = '#/components/schemas/'
const HOME = 'https://document.test/'

/** Compares answers with an OpenAPI description. */
export class DocumentCheck {
  readonly document: OpenApiDocument
  readonly #ajv: Ajv2020
  readonly #compiled = new Map<string, ValidateFunction>()
  readonly #paths: readonly {
    readonly pattern: RegExp
    readonly methods: Readonly<Record<string, Operation>>
  }[]

  constructor(document: OpenApiDocument) {
    this.document = document
    this.#ajv = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      allErrors: false,
    })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: HOME, $defs: relocated(document.components.schemas) })
    // Fixed segments come before parameters, like in the router.
    this.#paths = Object.entries(document.paths)
      .toSorted(([a], [b]) => (a.replaceAll('{', '~') < b.replaceAll('{', '~') ? -1 : 1))
      .map(([path, methods]) => ({
        pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/*$`),
        methods,
      }))
  }

  /**
   * Everything about an answer that the document does not describe. The body can still be read
   * afterwards.
   */
  async violations(method: string, pathname: string, response: Response): Promise<string[]> {
    const methods = this.#paths.find(({ pattern }) => pattern.test(pathname))?.methods
    if (!methods)
      return response.status === 404 ? [] : [`an unknown path is answered with ${response.status}`]
    if (method === 'OPTIONS')
      return response.status === 204 && response.headers.has('allow')
        ? []
        : ['OPTIONS is not answered with 204 and Allow']
    const operation =
      method === method.toUpperCase()
        ? methods[method === 'HEAD' ? 'get' : method.toLowerCase()]
        : undefined
    if (!operation)
      return response.status === 405 && response.headers.has('allow')
        ? []
        : [`a method that is not there is answered with ${response.status}`]
    const described = operation.responses[response.status]
    if (!described) return [`the status ${response.status} is not described`]
    const expected =
      '$ref' in described ? this.#find(this.document.components.responses, described) : described
    return [
      ...this.#headers(expected, response.headers),
      ...(method === 'HEAD' ? [] : await this.#body(expected, response)),
    ]
  }

  /** The error of a value by a schema of the document; `null` if it is valid. */
  wrong(schema: JsonSchema, value: unknown): string | null {
    const text = JSON.stringify(schema)
    const validate = this.#compiled.get(text) ?? this.#ajv.compile(relocated(schema))
    this.#compiled.set(text, validate)
    return validate(value) ? null : this.#ajv.errorsText(validate.errors)
  }

  #headers({ headers }: ResponseObject, answered: Headers): string[] {
    const described = new Map(
      Object.entries(headers).map(([name, header]): [string, HeaderObject] => [
        name.toLowerCase(),
        '$ref' in header ? this.#find(this.document.components.headers, header) : header,
      ]),
    )
    const missing = [...described].flatMap(([name, { required }]) =>
      required && !answered.has(name) ? [`the header ${name} is missing`] : [],
    )
    const wrong = [...answered].flatMap(([name, value]) => {
      const header = described.get(name)
      if (!header) return GENERAL.test(name) ? [] : [`the header ${name} is not described`]
      const reason = this.wrong(
        header.schema,
        header.schema['type'] === 'integer' ? Number(value) : value,
      )
      return reason === null ? [] : [`the header ${name}: ${value}: ${reason}`]
    })
    return [...missing, ...wrong]
  }

  async #body({ content }: ResponseObject, response: Response): Promise<string[]> {
    const type = response.headers.get('content-type')?.split(';')[0] ?? null
    if (!content) return response.body === null ? [] : ['there should be no body']
    const media = type === null ? undefined : content[type]
    if (!media) return [`the content type ${type} is not described`]
    // Files are streams, which a test may want to break.
    const isFile = ['content-disposition', 'content-encoding'].some((name) =>
      response.headers.has(name),
    )
    if (type !== 'application/json' || isFile) return []
    const reason = this.wrong(media.schema, JSON.parse(await response.clone().text()))
    return reason === null ? [] : [reason]
  }

  #find<T>(components: Readonly<Record<string, T>>, { $ref }: Reference): T {
    const component = components[$ref.slice($ref.lastIndexOf('/') + 1)]
    if (component === undefined) throw new Error(`${$ref} leads nowhere`)
    return component
  }
}

function relocated(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll(NAMED, `${HOME}#/$defs/`))
}
