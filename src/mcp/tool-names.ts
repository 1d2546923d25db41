/** The tools that a host offers if it says nothing: those of the Task Service. */
export const STANDARD: readonly string[] = [
  'search',
  'fetch',
  'crawl',
  'search_templates',
  'run_template',
  'get_run',
]
/** The tools beside these. A test compares both lists with the tables of the tools. */
const MORE: readonly string[] = [
  'extract',
  'preview',
  'map',
  'cancel_run',
  'query_dataset',
  'dataset_changes',
  'watch',
  'save_task',
]

/** The names of all tools. Options are checked against them before any tool is loaded. */
export const TOOL_NAMES: readonly string[] = [...STANDARD, ...MORE]

/** Which tools an endpoint offers: all of them, or these. Default: the six of the Task Service. */
export type ToolChoice = 'extended' | readonly string[]
