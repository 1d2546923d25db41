declare module 'html-encoding-sniffer' {
  /**
   * Returns the encoding that the HTML Standard's sniffing algorithm finds, or `defaultEncoding` if
   * nothing declares one.
   */
  export default function sniffHtmlEncoding(
    bytes: Uint8Array,
    options?: {
      xml?: boolean
      transportLayerEncodingLabel?: string
      defaultEncoding?: string
      maxPrescanBytes?: number
    },
  ): string
}
