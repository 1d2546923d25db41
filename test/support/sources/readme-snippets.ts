/**
 * A block of the README that is a file, or the part of it that is marked: the file's name stands
 * above it.
 */
const BLOCK = /^<!-- (examples\/\S+) -->\n(\n?)```(\w+)\n[\s\S]*?^```$/gm
const MARKED = /^\/\/#region mounting\n([\s\S]*?)^\/\/#endregion$/m

/** The README with every such block as its file has it. */
export function withSnippets(readme: string, read: (path: string) => string): string {
  return readme.replaceAll(
    BLOCK,
    (_, path: string, gap: string, language: string) =>
      `<!-- ${path} -->\n${gap}\`\`\`${language}\n${snippetOf(read(path))}\`\`\``,
  )
}

/** The files that blocks of the README are. */
export function snippetFiles(readme: string): string[] {
  return [...readme.matchAll(BLOCK)].map(([, path = '']) => path)
}

function snippetOf(text: string): string {
  return MARKED.exec(text)?.[1] ?? text
}
