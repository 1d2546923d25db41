import ts from 'typescript'

const trees = new Map<string, { readonly text: string; readonly tree: ts.SourceFile }>()

/** The syntax tree of a source, whose nodes know their parents. Several checks share one tree. */
export function parseSource(path: string, text: string): ts.SourceFile {
  const last = trees.get(path)
  if (last?.text === text) return last.tree
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
  trees.set(path, { text, tree })
  return tree
}
