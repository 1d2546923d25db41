/**
 * The names of all tools, the six standard ones first. Options are checked against them before
 * any tool is loaded. A test compares them with the tables of the tools.
 */
export const TOOL_NAMES: readonly string[] = [
  'search',
  'fetch',
  'crawl',
  'search_templates',
  'run_template',
  'get_run',
  'extract',
  'preview',
  'map',
  'cancel_run',
  'query_dataset',
  'dataset_changes',
  'watch',
  'save_task',
]

/** The tools that an endpoint offers: all of them, or these. Default: the six standard ones. */
export type ToolChoice = 'extended' | readonly string[]
