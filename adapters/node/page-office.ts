import { DocumentFailure, PageFailure } from '../../src/kernel/failures.ts'
import type { DocumentFormat, DocumentHtml, DocumentText } from '../../src/ports/document-reader.ts'
import type { PageLimits, PageSpent, WorkBudget } from '../../src/ports/page-limits.ts'

/** Names of document types in messages. */
export const NAMES = { pdf: 'a PDF', docx: 'a Word document', xlsx: 'an Excel workbook' } as const
/** The first bytes of the older formats, and of files with a password (MS-CFB, 2.2). */
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0]
/** An entry in the directory of a file with a password (MS-OFFCRYPTO, 2.3.4), in UTF-16. */
const ENCRYPTED = [...'EncryptedPackage'].flatMap((letter) => [letter.charCodeAt(0), 0])
/** Bytes at the beginning and at the end of a file in which that entry is searched for. */
const SEARCHED = 65_536

/**
 * Reads a Word or Excel file by its library, which is loaded with the first such file. Call it on a
 * thread that can be ended: the libraries cannot be interrupted.
 *
 * @throws {DocumentFailure} `malformed`, `encrypted`; `unavailable` if the library is not there
 * @throws {PageFailure} if the budget was used up before anything was read
 */
export async function readOffice(
  format: Exclude<DocumentFormat, 'pdf'>,
  body: Uint8Array,
  limits?: PageLimits,
): Promise<DocumentText | DocumentHtml> {
  const name = NAMES[format]
  if (COMPOUND.every((byte, index) => body[index] === byte)) {
    if (hasBytes(body.subarray(0, SEARCHED)) || hasBytes(body.subarray(-SEARCHED)))
      throw new DocumentFailure(format, 'encrypted', `it is ${name} that needs a password`)
    throw new DocumentFailure(
      format,
      'malformed',
      `it is a file of Office before 2007, which is not read: save it as .${format}`,
    )
  }
  const read = await readerOf(format).catch((cause: unknown) => {
    throw new DocumentFailure(
      format,
      'unavailable',
      `it is ${name}, and the library that reads it is not installed`,
      { cause },
    )
  })
  // Loaded by the thread that calls this. The names above are for all threads.
  const { PageBudget } = await import('../../src/engine.ts')
  const budgets: WorkBudget[] = []
  const openBudget = (part?: number, spent?: PageSpent): WorkBudget => {
    const budget = PageBudget.forDocument(limits, part, spent)
    budgets.push(budget)
    return budget
  }
  try {
    return await read(body, openBudget)
  } catch (cause) {
    if (cause instanceof Error && budgets.some(({ overrun }) => overrun !== null))
      throw new PageFailure('time', cause.message, { cause })
    throw new DocumentFailure(format, 'malformed', `it is ${name} that is damaged`, { cause })
  }
}

async function readerOf(
  format: Exclude<DocumentFormat, 'pdf'>,
): Promise<
  (
    body: Uint8Array,
    openBudget: (part?: number, spent?: PageSpent) => WorkBudget,
  ) => Promise<DocumentText | DocumentHtml>
> {
  return format === 'docx'
    ? (await import('../common/office/read-docx.ts')).readDocx
    : (await import('../common/office/read-xlsx.ts')).readXlsx
}

function hasBytes(bytes: Uint8Array): boolean {
  const text = new TextDecoder('latin1').decode(bytes)
  return text.includes(String.fromCharCode(...ENCRYPTED))
}
