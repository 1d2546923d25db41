/**
 * Columns as the address has them: with commas between them, each as a part of a URL, because a
 * name may have a comma in it.
 */
export function textOfColumns(names: readonly string[]): string {
  return names.map((name) => encodeURIComponent(name)).join(',')
}

/** The columns that a text of the address names. */
function columnsOf(text: string): readonly string[] {
  return text.split(',').map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      // Written by hand: a `%` that is no escape.
      return part
    }
  })
}

/**
 * The columns to show, in their order. Names that are no columns any more are left out, and if no
 * other is left, all columns are shown. `text`: what the address has; `null`: nothing.
 */
export function chosenColumns(all: readonly string[], text: string | null): readonly string[] {
  if (text === null) return all
  const names = new Set(columnsOf(text))
  const chosen = all.filter((name) => names.has(name))
  return chosen.length === 0 ? all : chosen
}
