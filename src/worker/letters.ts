import type { ErrandRecord, ReportRecord } from '../records/crew-records.ts'
import type { CrewMail, Letter } from './crew-mail.ts'

/**
 * What the holder of a fence has to write to its helpers, and to throw away, gathered for one
 * commit.
 */
export class Letters {
  #errands: ErrandRecord[] = []
  #ended: Letter[] = []
  #read: Letter[] = []

  give(errand: ErrandRecord): void {
    this.#errands.push(errand)
  }

  /** Nothing more is to be known of an errand. */
  end(errand: Letter): void {
    this.#ended.push(errand)
  }

  /** A report is of no use any more. */
  drop(report: ReportRecord): void {
    this.#read.push(report)
  }

  /** A helper is gone, with all that is kept for it. */
  forget(hand: string): void {
    const isOthers = (letter: Letter): boolean => letter.hand !== hand
    this.#errands = this.#errands.filter(isOthers)
    this.#ended = this.#ended.filter(isOthers)
    this.#read = this.#read.filter(isOthers)
  }

  /**
   * Not to be called while another call is under way, nor `forget`. A lost answer is no loss: the
   * same is written again.
   *
   * @throws {Overtaken}
   */
  async send(mail: CrewMail): Promise<void> {
    const [errands, ended, read] = [[...this.#errands], [...this.#ended], [...this.#read]]
    if (errands.length + ended.length + read.length === 0) return
    await mail.send(errands, ended, read)
    this.#errands = this.#errands.slice(errands.length)
    this.#ended = this.#ended.slice(ended.length)
    this.#read = this.#read.slice(read.length)
  }
}
