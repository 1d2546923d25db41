import ts from 'typescript'
import type { Sources } from './sources.ts'

const trees = new Map<string, { readonly text: string; readonly tree: ts.SourceFile }>()

/** The syntax tree of a source, whose nodes know their parents. Several checks share one tree. */
export function parseSource(path: string, text: string): ts.SourceFile {
  const last = trees.get(path)
  if (last?.text === text) return last.tree
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
  trees.set(path, { text, tree })
  return tree
}

/**
 * The trees of the sources whose text has any of some words. Parsing takes far longer than looking
 * for a word, and most sources have nothing that a check is about.
 */
export function parseThoseWith(
  words: RegExp,
  sources: Sources,
): { readonly path: string; readonly tree: ts.SourceFile }[] {
  return [...sources].flatMap(([path, text]) =>
    words.test(text) ? [{ path, tree: parseSource(path, text) }] : [],
  )
}
