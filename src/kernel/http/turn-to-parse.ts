/** A body of more bytes is parsed in a turn of its own. It takes a millisecond or two. */
const ALONE = 262_144

/**
 * The turn of the event loop in which a body is parsed, as many large bodies may be complete at the
 * same time. Their senders take turns. `null`: a small body needs none.
 */
export function turnToParse(
  { length }: { readonly length: number },
  sender: string,
): Promise<void> | null {
  return length > ALONE ? ownTurnOf(sender, length) : null
}

async function ownTurnOf(account: string, size: number): Promise<void> {
  await (await import('../pace.ts')).ownTurn({ account, size })
}
