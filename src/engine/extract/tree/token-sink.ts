/** Attribute values by name. */
export type ElementAttributes = Record<string, string>

/** Builds a tree from the tokens of a reader of HTML or XML. */
export interface TokenSink {
  /** True directly inside SVG and MathML, where a text may be a CDATA section. */
  readonly foreign: boolean
  /** True once no more tokens are needed. */
  readonly finished: boolean
  /** @returns True if the tag was read by the rules of HTML, where some elements hold plain text */
  open(name: string, attributes: ElementAttributes, selfClosing: boolean): boolean
  close(name: string): void
  /** Several texts may follow each other. One without characters stands for a comment. */
  text(data: string): void
  /** `declaration`: the text between `<!` and `>`. */
  doctype(declaration: string): void
}
