import type { Traits } from './element-traits.ts'
import { OpenElements } from './open-elements.ts'
import type { ElementAttributes, TokenSink } from './token-sink.ts'

/** Maximum number of cached element names. */
const MOST_NAMES = 1_000

/** Builds the tree of XML as written. An end tag without a matching start tag is ignored. */
export class XmlBuilder implements TokenSink {
  readonly foreign = false
  readonly tree = new OpenElements({ copies: 0, mostCopies: 0 })
  readonly #traits = new Map<string, Traits>()
  /** The prefix that is removed from names. `null` before the root element. */
  #prefix: string | null = null

  get finished(): boolean {
    return this.tree.full
  }

  open(name: string, attributes: ElementAttributes, selfClosing: boolean): boolean {
    this.#prefix ??= feedPrefix(name, attributes)
    const traits = this.#traitsOf(this.#plain(name))
    if (selfClosing) this.tree.append(traits, attributes)
    else this.tree.push(traits, attributes)
    return false
  }

  close(name: string): void {
    if (this.tree.closesSkipped()) return
    const position = this.tree.top(0, this.#plain(name))
    if (position !== -1) this.tree.popTo(position)
  }

  text(data: string): void {
    this.tree.text(data)
  }

  doctype(): void {}

  /** Removes the prefix of a name that is more than a prefix. */
  #plain(name: string): string {
    const prefix = this.#prefix ?? ''
    return prefix !== '' && name !== prefix && name.startsWith(prefix)
      ? name.slice(prefix.length)
      : name
  }

  /** All elements of a name share one string. */
  #traitsOf(name: string): Traits {
    const cached = this.#traits.get(name)
    if (cached !== undefined) return cached
    const traits = { name, bits: 0 }
    if (this.#traits.size < MOST_NAMES) this.#traits.set(name, traits)
    return traits
  }
}

/** Namespaces of the elements of feeds, RSS 0.9 to 2.0 and Atom 0.3 and 1.0. */
const NAMESPACE = new RegExp(
  String.raw`^http:\/\/(?:www\.w3\.org\/2005\/Atom|purl\.org\/(?:atom\/ns#|rss\/1\.0\/|net\/rss1\.1#)|` +
    String.raw`(?:my|channel)\.netscape\.com\/rdf\/simple\/0\.9\/|backend\.userland\.com\/rss|` +
    String.raw`blogs\.law\.harvard\.edu\/tech\/rss)`,
  'i',
)
const DECLARATION = 'xmlns:'

/**
 * The prefix that a feed gives its own elements, with its colon: `a:` for a root `<a:feed
 * xmlns:a="http://www.w3.org/2005/Atom">`. It is removed, as if the feed had no prefixes. Empty for
 * any other document.
 */
function feedPrefix(root: string, attributes: ElementAttributes): string {
  const [prefix, local] = root.split(':', 2)
  if (local === undefined) return ''
  if (local === 'feed' || local === 'rss')
    return NAMESPACE.test(attributes[`${DECLARATION}${prefix}`] ?? '') ? `${prefix}:` : ''
  if (local !== 'RDF') return ''
  const name = Object.keys(attributes).find(
    (attribute) => attribute.startsWith(DECLARATION) && NAMESPACE.test(attributes[attribute] ?? ''),
  )
  return name === undefined ? '' : `${name.slice(DECLARATION.length)}:`
}
