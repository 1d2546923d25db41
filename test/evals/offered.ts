import type { Tool } from '@modelcontextprotocol/sdk/types.js'

/**
 * Characters of tools as a model gets them: names, descriptions and input schemas. Titles, hints,
 * icons and output schemas are for clients.
 */
export function offered(tools: readonly Tool[]): number {
  const shown = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }))
  return JSON.stringify(shown).length
}
