/** Where the blobs with an execution's rows are: every name begins with it. */
export function rowsFolder(execution: string): string {
  return `rows/${execution}/`
}
