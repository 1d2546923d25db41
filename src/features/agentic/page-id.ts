/** The id of a page that an agent has read, and of a part of it. */
export const PART_ID = /^(page_\w+)(?:\.(\d{1,3}))?$/

/** Whether an id names a page that was read, and not an address or an execution. */
export function isPageId(id: string): boolean {
  return PART_ID.test(id)
}
