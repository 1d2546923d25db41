import type { Scope } from '../../kernel/scope.ts'

/** A JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1). */
export type JsonSchema = Readonly<Record<string, unknown>>

/** A pointer to one of the components. */
export interface Reference {
  readonly $ref: string
}

/** A header of an answer. */
export interface HeaderObject {
  readonly description: string
  readonly required?: boolean
  readonly schema: JsonSchema
  readonly example?: unknown
}

/** One content type of a body. */
export interface MediaType {
  readonly schema: JsonSchema
  readonly example?: unknown
}

/** A parameter in the path, the query or the headers. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required: boolean
  readonly schema: JsonSchema
  readonly example?: unknown
}

/** The response of an operation with one status. */
export interface ResponseObject {
  readonly description: string
  readonly headers: Readonly<Record<string, HeaderObject | Reference>>
  readonly content?: Readonly<Record<string, MediaType>>
}

/** The scopes that each way of authentication needs. */
export type SecurityRequirement = Readonly<Record<string, readonly Scope[]>>

/** One operation. */
export interface Operation {
  readonly tags: readonly string[]
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly security: readonly SecurityRequirement[]
  readonly parameters: readonly (Parameter | Reference)[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, MediaType>>
  }
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
}

/** The provider of the service, and its terms. */
export interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly description?: string
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly termsOfService?: string
}

/**
 * An OpenAPI 3.1 description (https://spec.openapis.org/oas/v3.1.1.html), with the parts that the
 * route table needs.
 */
export interface OpenApiDocument {
  readonly openapi: string
  readonly jsonSchemaDialect: string
  readonly info: OpenApiInfo
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly headers: Readonly<Record<string, HeaderObject>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
}
