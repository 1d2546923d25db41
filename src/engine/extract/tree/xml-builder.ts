import { OpenElements } from './open-elements.ts'
import type { Attributes, TokenSink } from './token-reader.ts'

/** Builds the tree of XML as it is written; an end tag that fits nothing is ignored. */
export class XmlBuilder implements TokenSink {
  readonly foreign = false
  readonly tree = new OpenElements()

  get finished(): boolean {
    return this.tree.full
  }

  open(name: string, attributes: Attributes, selfClosing: boolean): void {
    const traits = { name, bits: 0 }
    if (selfClosing) this.tree.append(traits, attributes)
    else this.tree.push(traits, attributes)
  }

  close(name: string): void {
    if (this.tree.closesSkipped()) return
    const at = this.tree.lastIndexOf(name)
    if (at !== -1) this.tree.popTo(at)
  }

  text(data: string): void {
    this.tree.text(data)
  }

  doctype(): void {}
}
