/** The types of a schema in the Standard Schema interface, which the features' schemas implement. */
export interface Typed {
  readonly '~standard': {
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined
  }
}
/** The types of a schema. */
export type Types<S extends Typed> = NonNullable<S['~standard']['types']>

/** A body as the caller writes it. */
export type Sent<S extends Typed> = NonNullable<Written<Types<S>['input']>>

/** A query as the caller writes it: numbers and lists, which travel as text. */
export type Asked<S extends Typed> = Written<Types<S>['output']>

/** `data` as the service gives it. */
export type Received<S extends Typed> = Types<S>['output']

/** One page of a list; `nextCursor` is `null` at its end. */
export interface ListPage<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
  /** With `count`: the number of items on all pages. `null`: too many to count in one request. */
  readonly total?: number | null
  /** With `count`: the number of items that were counted. */
  readonly totalAtLeast?: number
}

/** Input that the client does not change. */
export type Written<T> = T extends object
  ? { readonly [K in keyof T]: K extends 'recipe' | 'params' ? T[K] : Written<T[K]> }
  : T
