/**
 * The text for columns in the address: separated by commas, each encoded as a part of a URL,
 * because a name may contain a comma.
 */
export function textOfColumns(names: readonly string[]): string {
  return names.map((name) => encodeURIComponent(name)).join(',')
}

/** The columns in a text of the address. */
function columnsOf(text: string): readonly string[] {
  return text.split(',').map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      // A text that was typed by hand, with a `%` that is not an escape.
      return part
    }
  })
}

/**
 * The columns to show, in their order. Names of columns that no longer exist are left out. If no
 * other is left, all columns are shown. `text`: the text in the address; `null`: none.
 */
export function chosenColumns(all: readonly string[], text: string | null): readonly string[] {
  if (text === null) return all
  const names = new Set(columnsOf(text))
  const chosen = all.filter((name) => names.has(name))
  return chosen.length === 0 ? all : chosen
}
