/**
 * Follows a text of a PDF as its readers do: which lists are open, and what is a string or a
 * comment (ISO 32000-2, 7.2 and 7.3). A reader that begins elsewhere sees other lists. It can begin
 * only at an object, so that one which begins within anything else makes the text ambiguous.
 */
export class PdfSyntax {
  #lists = 0
  #strings = 0
  #isHex = false
  #isComment = false
  #isStream = false
  #isAmbiguous = false

  /** How deep lists are within others. */
  get lists(): number {
    return this.#lists
  }

  /** Whether it is within a string, in which `\` takes the next character. */
  get isString(): boolean {
    return this.#strings > 0
  }

  get isComment(): boolean {
    return this.#isComment
  }

  /** Whether it is within the content of a stream, which has what looks like anything. */
  get isStream(): boolean {
    return this.#isStream
  }

  /** Whether no reader finds objects here, if it begins where an object does. */
  get isHidden(): boolean {
    return this.isString || this.#isHex || this.#isComment || this.#isStream
  }

  /** Whether other readers may see other lists from here on. */
  get isAmbiguous(): boolean {
    return this.#isAmbiguous
  }

  /** Begins a text that is read by itself. */
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

  /** Notes that an object begins here, or is said to. */
  beginObject(): void {
    this.#isAmbiguous ||= this.isHidden || this.#lists > 0
  }

  /** Notes that objects may begin anywhere from here on. */
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
