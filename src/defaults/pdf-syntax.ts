/**
 * Follows the text of a PDF as PDF readers do: it tracks open lists, strings and comments (ISO
 * 32000-2, 7.2 and 7.3). A reader that begins elsewhere sees other lists. Readers can begin only at
 * an object, so an object inside a list, string or comment makes the text ambiguous.
 */
export class PdfSyntax {
  #lists = 0
  #strings = 0
  #isHex = false
  #isComment = false
  #isStream = false
  #isAmbiguous = false

  /** Depth of nested lists. */
  get lists(): number {
    return this.#lists
  }

  /** True within a string, in which `\` escapes the next character. */
  get isString(): boolean {
    return this.#strings > 0
  }

  get isComment(): boolean {
    return this.#isComment
  }

  /** True within the content of a stream, whose bytes may look like anything. */
  get isStream(): boolean {
    return this.#isStream
  }

  /** True if no reader that begins at an object finds objects here. */
  get isHidden(): boolean {
    return this.isString || this.#isHex || this.#isComment || this.#isStream
  }

  /** True if other readers may see other lists from here on. */
  get isAmbiguous(): boolean {
    return this.#isAmbiguous
  }

  /** Begins a text that is read independently. */
  begin(): void {
    this.#end()
    this.#isAmbiguous = false
  }

  /** Begins the content of a stream. */
  beginStream(): void {
    this.beginObject()
    this.#end()
    this.#isStream = true
  }

  /** Call this where an object begins, or where the file says so. */
  beginObject(): void {
    this.#isAmbiguous ||= this.isHidden || this.#lists > 0
  }

  /** Call this if objects may begin anywhere from here on. */
  makeAmbiguous(): void {
    this.#isAmbiguous = true
  }

  /** Reads the next mark: a delimiter, an end of a line, or a keyword. */
  read(mark: string): void {
    if (mark === 'obj') this.beginObject()
    else if (this.#isStream) this.#isStream = mark !== 'endstream'
    else if (this.#isComment) this.#isComment = mark !== '\n' && mark !== '\r'
    else if (this.#isHex) this.#isHex = mark !== '>'
    else if (mark === '(') this.#strings++
    else if (mark === ')') this.#strings = Math.max(0, this.#strings - 1)
    else if (this.#strings > 0) return
    else if (mark === '%') this.#isComment = true
    else if (mark === '<') this.#isHex = true
    else if (mark === '[') this.#lists++
    else if (mark === ']') this.#lists = Math.max(0, this.#lists - 1)
  }

  #end(): void {
    this.#lists = 0
    this.#strings = 0
    this.#isHex = false
    this.#isComment = false
    this.#isStream = false
  }
}
