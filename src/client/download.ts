/** A file that the service makes while it is read. */
export interface Download {
  /** The file name that the service proposes, without folders; empty if it proposes none. */
  readonly name: string
  readonly contentType: string
  /** Fails with an error if the rest cannot be made. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  /**
   * The answer itself, for `text()`, `bytes()` or a host that passes it on; it shares its body with
   * `body`.
   */
  readonly response: Response
}

/** Returns the content of a successful answer of a download route. */
export function downloadOf(response: Response): Download {
  return {
    name: nameOf(response.headers.get('content-disposition') ?? ''),
    contentType: response.headers.get('content-type') ?? '',
    body: response.body ?? new Blob([]).stream(),
    response,
  }
}

/** `filename*`, else `filename` (RFC 6266 section 4.3). */
function nameOf(disposition: string): string {
  const extended = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition)?.[1]
  const plain = /filename="?([^";]*)/i.exec(disposition)?.[1]
  return decoded(extended) ?? withoutFolders(plain ?? '')
}

function decoded(text: string | undefined): string | null {
  if (text === undefined) return null
  try {
    return withoutFolders(decodeURIComponent(text))
  } catch {
    return null
  }
}

// Only the last part of a name is used, because it becomes a file's name (RFC 6266 section 4.3).
function withoutFolders(name: string): string {
  return name.replace(/^.*[/\\]/s, '').replaceAll('\0', '')
}
