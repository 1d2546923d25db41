declare module 'html-encoding-sniffer' {
  /**
   * The name of the encoding that the HTML Standard's sniffing algorithm finds; `defaultEncoding`
   * where nothing declares one.
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
