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

/** The settings of a conversion of rows, which are the same for each block of an export. */
export interface RowsSpec {
  /** Name of the format. */
  readonly format: string
  readonly columns: readonly Column[]
  /** The row is this member of the stored value. Absent: the stored value is the row. */
  readonly member?: string
  /** True if the rows have columns whose values are beside them, in `x` of {@link RowBlock}. */
  readonly beside?: boolean
  /** The media of rows, whose links must be inserted. */
  readonly media?: RowsMedia
}

/** The media of an export's rows. */
export interface RowsMedia {
  readonly paths: readonly (readonly string[])[]
  /** A media value becomes its link, and nothing else. */
  readonly flat: boolean
}

/**
 * Rows as they are stored: lines of JSON, each `[x, stored]`. What `x` is does not matter, unless
 * it is an object: then it has values for columns that the row lacks.
 */
export interface RowBlock {
  readonly body: Uint8Array
  /** Number of lines. */
  readonly rows: number
}

/** A part of a file. */
export interface RowsPart {
  readonly chunks: readonly Uint8Array<ArrayBuffer>[]
  /** Rows that are in it. */
  readonly rows: number
  /** Data of this part for the end of the file; opaque. */
  readonly note?: Uint8Array<ArrayBuffer>
}

/** A media item that a row refers to. */
export interface MediaTarget {
  readonly sha256: string
  readonly name: string
}

/** Questions about rows. Each is independent: the answer needs no other block. */
export type RowsQuestion =
  /** The types of columns whose type is not known. */
  | { readonly ask: 'types'; readonly block: RowBlock }
  /** The media that the rows refer to. */
  | { readonly ask: 'media'; readonly block: RowBlock }
  /**
   * `first`: the number of the first row in its file or sheet; `links`: by the digest and the name
   * of the item.
   */
  | {
      readonly ask: 'part'
      readonly block: RowBlock
      readonly first: number
      readonly links?: readonly (readonly [MediaTarget, string])[]
    }
  /** The end of a file with these parts, in their order; `at`: where in the file each begins. */
  | {
      readonly ask: 'end'
      readonly parts: readonly { readonly note: Uint8Array<ArrayBuffer>; readonly at: number }[]
    }

/** The answer to each question; plain data. */
export interface RowsAnswers {
  readonly types: Readonly<Record<string, ExportColumnType>>
  readonly media: readonly MediaTarget[]
  readonly part: RowsPart
  readonly end: RowsPart
}

/** An answer under the name of its question. */
export type NamedRows = { readonly [K in keyof RowsAnswers]?: RowsAnswers[K] }

/** Answers questions about rows on the thread that it is called on. */
export type AnswerRows = (question: RowsQuestion) => Promise<NamedRows>

/** Prepares a format. Rejects for an unknown format. */
export type OpenRowWork = (spec: RowsSpec) => Promise<AnswerRows>

/** The conversion of an export's rows. Each question rejects as those about pages do. */
export interface OpenRows {
  ask(question: RowsQuestion, signal?: AbortSignal): Promise<NamedRows>
  /** Closes the conversion; work in progress rejects. Idempotent. */
  close(): void
}
