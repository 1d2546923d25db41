/** A file of the console, as the build wrote it. */
export interface Asset {
  readonly type: string
  /** The file's bytes, packed by gzip (RFC 1952), in base64. */
  readonly gzip: string
}

/** The files that the build makes from `app`, in `dist/console/assets.js`. */
export interface Assets {
  /** By file name. Names have a hash of their content, so the content of an address never changes. */
  readonly files: Readonly<Record<string, () => Promise<{ readonly asset: Asset }>>>
  /** The name of the script that loads the others. */
  readonly boot: string
  /** The names of the files that the page loads first. */
  readonly script: string
  readonly style: string
  /** The names of the files that the script imports at once. */
  readonly preloads: readonly string[]
}

/** Declares the exports of `#console-assets`, a module that the build writes. */
export declare const assets: Assets
