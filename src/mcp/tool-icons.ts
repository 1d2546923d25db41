import type { Tool } from '@modelcontextprotocol/sdk/types.js'

/** The subject of each tool, drawn in a square of 16 by 16. */
const LINES: Readonly<Record<string, string>> = {
  search: 'M11 11l4 4M7 2a5 5 0 100 10a5 5 0 000-10',
  fetch: 'M3 1h7l3 3v11H3zM6 7h4M6 10h4',
  crawl: 'M8 2v4M8 6H3v4M8 6h5v4M8 6v4M2 10h2v4H2zM7 10h2v4H7zM12 10h2v4h-2z',
  search_templates: 'M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM10 12h4M12 10v4',
  run_template: 'M4 2l9 6l-9 6z',
  get_run: 'M8 1a7 7 0 100 14a7 7 0 000-14M8 4v4l3 2',
  extract: 'M2 3h12v10H2zM2 6h12M6 3v10',
  preview: 'M1 8q7-9 14 0q-7 9-14 0M8 6a2 2 0 100 4a2 2 0 000-4',
  map: 'M2 3l4-1l4 2l4-1v10l-4 1l-4-2l-4 1zM6 2v10M10 4v10',
  cancel_run: 'M8 1a7 7 0 100 14a7 7 0 000-14M5 5l6 6M11 5l-6 6',
  query_dataset: 'M2 4q6-4 12 0v8q-6 4-12 0zM2 4q6 4 12 0M2 8q6 4 12 0',
  dataset_changes: 'M2 5h10l-3-3M14 11H4l3 3',
  watch: 'M8 2q4 0 4 5l1 4H3l1-4q0-5 4-5M7 14h2',
  save_task: 'M2 2h9l3 3v9H2zM5 2v4h5V2M5 14v-5h6v5',
}

/** The icon of a drawing as a `data:` URL, so that no client asks another server for it. */
export function iconOf(lines: string): { src: string; mimeType: string; sizes: string[] } {
  const svg =
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>" +
    `<path d='${lines}' fill='none' stroke='#0b7285'/></svg>`
  const src = svg.replaceAll(/[<> #]/g, encodeURIComponent)
  return { src: `data:image/svg+xml,${src}`, mimeType: 'image/svg+xml', sizes: ['any'] }
}

/** Tools with icons, for people who choose among them. Models do not see these. */
export function withIcons(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => {
    const lines = Object.hasOwn(LINES, tool.name) ? LINES[tool.name] : undefined
    return lines === undefined ? tool : { ...tool, icons: [iconOf(lines)] }
  })
}
