/** Flags of one action, by name. A switch is `true`. */
export type ActionFlags = Readonly<Record<string, string | true | undefined>>

/** One thing that the command does through the HTTP API. */
export interface ApiAction {
  /** The verb, such as `list`. Without a verb, the first action of a command is performed. */
  readonly verb: string
  /** Names of the words after the verb. The first ones are part of the path. */
  readonly takes: readonly string[]
  readonly help: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path of the API, with `:0` for the first word after the verb. */
  readonly path: string
  /** Flags that are sent as parameters of the query, each with the name of its value. */
  readonly query?: Readonly<Record<string, string>>
  /** Further flags. A flag without a value is a switch. */
  readonly flags?: Readonly<Record<string, string>>
  readonly body?: (names: readonly string[], flags: ActionFlags) => unknown
  /** The shown part: columns of a table by their path in an item, the whole answer, or a file. */
  readonly shows: readonly string[] | 'answer' | 'file' | 'secret'
  /** Path of a text in each item that is shown in full below the table. */
  readonly tells?: string
  /** A refused part of a successful answer. If there is one, the exit code is 1. */
  readonly isRefused?: (item: object) => boolean
}

/** Actions by command, with what the command is about. */
export type Actions = Readonly<
  Record<string, { readonly about: string; readonly actions: readonly ApiAction[] }>
>
