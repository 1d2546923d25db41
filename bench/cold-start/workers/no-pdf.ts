/** In the place of pdf.js. */
export function getDocument(): never {
  throw new Error('This Worker reads no PDFs')
}

export const VerbosityLevel = { ERRORS: 0 }
