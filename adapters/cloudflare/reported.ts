/**
 * Work that no caller waits for: what breaks it is told, and Cloudflare still gets to know, which
 * records it and may try again.
 */
export async function reported(
  work: Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    await work
  } catch (error) {
    onError(error)
    throw error
  }
}
