import { autocompletion } from '@codemirror/autocomplete'
import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import type { Diagnostic } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Problem } from '../parts/problem.ts'
import { completeFrom } from './json-complete.ts'
import { rangeAt } from './json-tree.ts'

/** An editor of JSON in the page. */
export interface JsonEditor {
  /** Shows another text, unless it has the same meaning. */
  set(text: string): void
  /** Marks errors, each at its path. Errors of the JSON syntax come first. */
  mark(problem: Problem | null): void
  close(): void
}

/** Settings of {@link openJsonEditor}. */
export interface JsonEditorOptions {
  /** A separate root, in which a policy without inline styles allows style sheets from scripts. */
  readonly root: ShadowRoot
  readonly text: string
  /** Name of the editor for assistive technology. */
  readonly label: string
  /** The JSON Schema of the text, with its definitions. It may come later. */
  readonly schema: () => unknown
  readonly onText: (text: string) => void
}

const syntaxErrors = jsonParseLinter()

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--bad)' },
])

const theme = EditorView.theme({
  '&': { border: '1px solid var(--line)', borderRadius: '4px', fontSize: '0.875rem' },
  '.cm-scroller': { maxHeight: '70vh', minHeight: '20rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '&.cm-focused .cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--muted)',
    backgroundColor: 'var(--raised)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionInfo': { maxWidth: '22rem' },
})

/** Opens an editor. Tab leaves it, so that keyboard users are not trapped in it. */
export function openJsonEditor({
  root,
  text,
  label,
  schema,
  onText,
}: JsonEditorOptions): JsonEditor {
  let isQuiet = false
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        syntaxHighlighting(colours),
        theme,
        json(),
        autocompletion({ override: [completeFrom(schema)] }),
        keymap.of([...standardKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': label,
          spellcheck: 'false',
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && !isQuiet) onText(state.doc.toString())
        }),
      ],
    }),
  })
  return {
    set(next) {
      const now = view.state.doc.toString()
      if (now === next || sameJson(now, next)) return
      isQuiet = true
      view.dispatch({ changes: { from: 0, to: now.length, insert: next } })
      isQuiet = false
    },
    mark(problem) {
      const syntax = syntaxErrors(view)
      const wrong =
        syntax.length > 0
          ? syntax
          : (problem?.issues ?? []).map(({ path, message }): Diagnostic => ({
              ...rangeAt(view.state, path),
              severity: 'error',
              message,
            }))
      view.dispatch(setDiagnostics(view.state, wrong))
    },
    close: () => view.destroy(),
  }
}

function sameJson(a: string, b: string): boolean {
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b))
  } catch {
    return false
  }
}
