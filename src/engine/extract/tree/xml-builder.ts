import type { Traits } from './element-traits.ts'
import { OpenElements } from './open-elements.ts'
import type { Attributes, TokenSink } from './token-reader.ts'

/** Names of elements that are kept to be found again. */
const MOST_NAMES = 1_000

/** Builds the tree of XML as it is written; an end tag that fits nothing is ignored. */
export class XmlBuilder implements TokenSink {
  readonly foreign = false
  readonly tree = new OpenElements()
  readonly #traits = new Map<string, Traits>()

  get finished(): boolean {
    return this.tree.full
  }

  open(name: string, attributes: Attributes, selfClosing: boolean): void {
    const traits = this.#traitsOf(name)
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

  /** One text for all elements of a name. */
  #traitsOf(name: string): Traits {
    const known = this.#traits.get(name)
    if (known !== undefined) return known
    const traits = { name, bits: 0 }
    if (this.#traits.size < MOST_NAMES) this.#traits.set(name, traits)
    return traits
  }
}
