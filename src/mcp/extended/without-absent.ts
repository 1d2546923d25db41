import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { isObject } from '../../kernel/json.ts'
import { TOOL_NAMES } from '../tool-names.ts'

/** Names that are ordinary words as well. In a text they are tools if they are marked as code. */
const WORDS = new Set(TOOL_NAMES.filter((name) => !name.includes('_')))

/** Where a part of a text begins that can be left out alone. */
const PARTS = /(?<=[.;:]) /

/** The tools, whose texts name no tool that is not offered: an agent would call it in vain. */
export function withoutAbsent(tools: readonly Tool[], absent: readonly string[]): readonly Tool[] {
  return absent.length === 0
    ? tools
    : tools.map((tool) => {
        const { description, inputSchema, outputSchema } = tool
        return {
          ...tool,
          ...(description !== undefined && { description: withoutNames(description, absent) }),
          inputSchema: { ...inputSchema, ...inObject(inputSchema, absent) },
          ...(outputSchema && {
            outputSchema: { ...outputSchema, ...inObject(outputSchema, absent) },
          }),
        }
      })
}

/** A failure of a tool, whose text names none of these tools. */
export function withoutAbsentIn(
  { content, ...rest }: CallToolResult,
  absent: readonly string[],
): CallToolResult {
  return {
    ...rest,
    content: content.map((part) =>
      part.type === 'text' ? { ...part, text: withoutNames(part.text, absent) } : part,
    ),
  }
}

/** A text without its parts that name one of these tools. */
export function withoutNames(text: string, absent: readonly string[]): string {
  const parts = text.split(PARTS)
  const rest = parts.filter((part) => !absent.some((name) => isNamed(name, part)))
  // A text that is about such a tool alone says more than none.
  if (rest.length === parts.length || rest.length === 0) return text
  const [first = '', ...others] = rest
  const whole = [first.charAt(0).toUpperCase() + first.slice(1), ...others].join(' ')
  return whole.replace(/[;:]$/, '.')
}

function isNamed(name: string, text: string): boolean {
  return text.includes(WORDS.has(name) ? `\`${name}\`` : name)
}

/** The members of a schema, with their descriptions. */
function inObject(
  schema: { readonly [name: string]: unknown },
  absent: readonly string[],
): { readonly [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'description' && typeof value === 'string'
        ? withoutNames(value, absent)
        : inValue(value, absent),
    ]),
  )
}

function inValue(value: unknown, absent: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => inValue(one, absent))
  return isObject(value) ? inObject(value, absent) : value
}
