/** Declares the export of `#mcp-app`, a module that the build writes. */
export declare const app: {
  /** The page of the MCP App, packed by gzip (RFC 1952), in base64. */
  readonly gzip: string
}
