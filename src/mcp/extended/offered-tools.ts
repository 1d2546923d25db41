import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { isObject } from '../../kernel/json.ts'
import { TOOL_NAMES } from '../tool-names.ts'

/** Names that are also ordinary words. In a text they name a tool only if they are marked as code. */
const WORDS = new Set(TOOL_NAMES.filter((name) => !name.includes('_')))

/** The start of a part of a text that can be omitted by itself. */
const PARTS = /(?<=[.;:]) /

/**
 * Number of lists of names that are remembered. A client chooses its list in the URL, so there may
 * be many.
 */
const MOST_LISTS = 64

const lists = new Map<string, OfferedTools>()

/** Returns the tools of these names. Endpoints with the same names share one object. */
export function offeredTools(names: readonly string[]): OfferedTools {
  const key = names.join(',')
  const offered = lists.get(key) ?? new OfferedTools(names)
  // The list that was used last is moved to the end of the map, and the first one is deleted.
  lists.delete(key)
  lists.set(key, offered)
  const [oldest] = lists.keys()
  if (lists.size > MOST_LISTS && oldest !== undefined) lists.delete(oldest)
  return offered
}

/**
 * The tools that an endpoint offers. All texts for agents go through here: a text must not name a
 * tool that is not offered, because an agent would call it in vain.
 */
export class OfferedTools {
  readonly #names: ReadonlySet<string>
  readonly #absent: readonly string[]
  readonly #tools = new Map<string, { readonly source: string; readonly tool: Tool }>()

  constructor(names: readonly string[]) {
    this.#names = new Set(names)
    this.#absent = TOOL_NAMES.filter((name) => !this.#names.has(name))
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** True if the text names one of the tools, other than `self`. */
  namesOther(self: string, text: string): boolean {
    return [...this.#names].some((name) => name !== self && isNamed(name, text))
  }

  /**
   * Returns the tools of this list that are offered. Each is made once, and again only if the API's
   * description of it changes.
   */
  tools(tools: readonly Tool[]): readonly Tool[] {
    const offered = tools.filter(({ name }) => this.has(name))
    return this.#absent.length === 0 ? offered : offered.map((tool) => this.#tool(tool))
  }

  /** The result of a failed tool, whose text an agent reads. */
  failure({ content, ...rest }: CallToolResult): CallToolResult {
    return {
      ...rest,
      content: content.map((part) =>
        part.type === 'text' ? { ...part, text: this.text(part.text) } : part,
      ),
    }
  }

  /** A text without the parts that name a tool that is not offered. */
  text(text: string): string {
    const parts = text.split(PARTS)
    const rest = parts.filter((part) => !this.#absent.some((name) => isNamed(name, part)))
    // If the whole text is about such a tool, it is kept, because it says more than no text.
    if (rest.length === parts.length || rest.length === 0) return text
    const [first = '', ...others] = rest
    const whole = [first.charAt(0).toUpperCase() + first.slice(1), ...others].join(' ')
    return whole.replace(/[;:]$/, '.')
  }

  #tool(tool: Tool): Tool {
    const source = JSON.stringify(tool)
    const present = this.#tools.get(tool.name)
    if (present?.source === source) return present.tool
    const { description, inputSchema, outputSchema } = tool
    const made = {
      ...tool,
      ...(description !== undefined && { description: this.text(description) }),
      inputSchema: { ...inputSchema, ...this.#inObject(inputSchema) },
      ...(outputSchema && { outputSchema: { ...outputSchema, ...this.#inObject(outputSchema) } }),
    }
    this.#tools.set(tool.name, { source, tool: made })
    return made
  }

  /** The members of a schema, with their descriptions. */
  #inObject(schema: { readonly [name: string]: unknown }): { readonly [name: string]: unknown } {
    return Object.fromEntries(
      Object.entries(schema).map(([name, value]) => [
        name,
        name === 'description' && typeof value === 'string'
          ? this.text(value)
          : this.#inValue(value),
      ]),
    )
  }

  #inValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#inValue(item))
    return isObject(value) ? this.#inObject(value) : value
  }
}

/**
 * True if the text names the tool. Addresses, quoted texts and paths of arguments do not count,
 * because they repeat the caller's own words.
 */
function isNamed(name: string, text: string): boolean {
  if (WORDS.has(name)) return text.includes(`\`${name}\``)
  return text.split(/[\s`(),;]/).some((word) => word.replace(/[.:?]$/, '') === name)
}
