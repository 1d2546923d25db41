/**
 * Makes a function that calls `load` when it is first asked, and gives what came of it ever after.
 * What failed is tried again.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = null
      throw error
    }))
}
