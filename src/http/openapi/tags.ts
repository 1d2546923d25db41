/** What the operations of a group are about. */
const TAGS: Readonly<Record<string, string>> = {
  tasks: 'Saved recipes: what to visit and what to take from it.',
  executions: 'Runs of recipes, with states, counters and a receipt of every URL.',
  results: 'Rows of an execution, page by page or as a file.',
  keys: 'API keys. A key is never wider than its maker.',
  datasets: 'Rows merged over executions.',
  templates: 'The public catalog of curated recipes.',
  previews: 'Short, free runs with a daily quota.',
  media: 'Bytes taken from pages.',
  webhooks: 'Signed notices to a URL of yours.',
  analytics: 'What was used, over time.',
  billing: 'Credits, plans and statements.',
  mcp: 'What the MCP server calls on behalf of agents.',
  reference: 'This description.',
}

/** The description of a group. */
export function describeTag(name: string): string {
  return TAGS[name] ?? `Operations on ${name}.`
}
