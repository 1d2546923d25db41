/**
 * The type of a column's values besides `null`. `date` is ISO 8601, as recipes write it. `json` is
 * a list, an object, or values of several types. `null`: not known before the values are read.
 */
export type ExportColumnType = 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'url' | 'json'

/** A column of an export. */
export interface Column {
  readonly name: string
  readonly type: ExportColumnType | null
}

/** The settings of a conversion of rows. They are the same for each block of an export. */
export interface RowsSpec {
  /** Name of the format. */
  readonly format: string
  readonly columns: readonly Column[]
  /** The member of the stored value that holds the row. Absent: the stored value is the row. */
  readonly member?: string
  /** True if `x` of {@link RowBlock} has the values of some columns. */
  readonly beside?: boolean
  /** The media of rows, if links to media must be inserted. */
  readonly media?: RowsMedia
}

/** The media of an export's rows. */
export interface RowsMedia {
  readonly paths: readonly (readonly string[])[]
  /** True if a media value is replaced by its link alone. */
  readonly flat: boolean
}

/**
 * Rows as they are stored: lines of JSON, each `[x, stored]`. If `x` is an object, it has the
 * values of columns that are not in the row. Other values of `x` are ignored.
 */
export interface RowBlock {
  readonly body: Uint8Array
  /** Number of lines. */
  readonly rows: number
}

/** A part of a file. */
export interface RowsPart {
  readonly chunks: readonly Uint8Array<ArrayBuffer>[]
  /** Number of rows in it. */
  readonly rows: number
  /** Opaque data of this part, which the end of the file needs. */
  readonly note?: Uint8Array<ArrayBuffer>
}

/** A media item that a row refers to. */
export interface MediaTarget {
  readonly sha256: string
  readonly name: string
}

/** Questions about rows. Each block is answered without the others. */
export type RowsQuestion =
  /** The types of columns whose type is not known. */
  | { readonly ask: 'types'; readonly block: RowBlock }
  /** The media that the rows refer to. */
  | { readonly ask: 'media'; readonly block: RowBlock }
  /**
   * `first`: the number of the first row in its file or sheet. `links`: the links, by digest and
   * name of the item.
   */
  | {
      readonly ask: 'part'
      readonly block: RowBlock
      readonly first: number
      readonly links?: readonly (readonly [MediaTarget, string])[]
    }
  /**
   * Makes the end of a file with these parts, in their order. `at`: the offset of each part in the
   * file.
   */
  | {
      readonly ask: 'end'
      readonly parts: readonly { readonly note: Uint8Array<ArrayBuffer>; readonly at: number }[]
    }

/** The answer to each question, as plain data. */
export interface RowsAnswers {
  readonly types: Readonly<Record<string, ExportColumnType>>
  readonly media: readonly MediaTarget[]
  readonly part: RowsPart
  readonly end: RowsPart
}

/** An answer under the name of its question. */
export type NamedRows = { readonly [K in keyof RowsAnswers]?: RowsAnswers[K] }

/** Answers questions about rows on the calling thread. */
export type AnswerRows = (question: RowsQuestion) => Promise<NamedRows>

/** Prepares a format. Rejects for an unknown format. */
export type OpenRowWork = (spec: RowsSpec) => Promise<AnswerRows>

/** The conversion of an export's rows. Questions reject for the same reasons as those about pages. */
export interface OpenRows {
  ask(question: RowsQuestion, signal?: AbortSignal): Promise<NamedRows>
  /** Closes the conversion; work in progress rejects. Idempotent. */
  close(): void
}
