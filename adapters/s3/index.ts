/**
 * Blobs in a bucket of S3, or of a service that speaks its API.
 *
 * @module
 */
import { AwsClient } from 'aws4fetch'
import { decodeXML } from 'entities'
import { assertBlobName } from '../../src/kernel/names.ts'
import {
  baseAddress,
  checkOptions,
  nonEmpty,
  required,
  textLike,
  whole,
} from '../../src/kernel/options.ts'
import type { Blobs } from '../../src/ports/blobs.ts'

/** Options of {@link createS3Blobs}. */
export interface S3BlobsOptions {
  /** The bucket. It exists already. */
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Session token of temporary credentials. */
  readonly sessionToken?: string
  /** Default `us-east-1`; `auto` for Cloudflare R2. */
  readonly region?: string
  /**
   * URL of the service, such as `https://ACCOUNT.r2.cloudflarestorage.com` or
   * `http://localhost:9000`. Default: that of AWS in the region.
   */
  readonly endpoint?: URL | string
  /** Prefix of all object names, for a bucket that has other objects too. */
  readonly prefix?: string
  /** Time limit of one request, in ms. Default 60,000. */
  readonly timeoutMs?: number
}

/** Maximum number of retries of a request that got no answer, 429, or a status of 500 and above. */
const RETRIES = 4
const TIMEOUT_MS = 60_000
/** Maximum number of bytes of an error response that are read for the message. */
const MOST_TOLD = 300

/**
 * Blobs as objects of one bucket: AWS S3, Cloudflare R2, MinIO, Ceph, Backblaze B2 and their like.
 * Requests are signed by AWS Signature Version 4 and address the bucket by path. Needed rights:
 * `s3:GetObject`, `s3:PutObject`, `s3:DeleteObject` and `s3:ListBucket`; without the last one an
 * absent object is refused instead of absent.
 *
 * @example
 *   const blobs = createS3Blobs({
 *     bucket: 'pages',
 *     region: 'eu-central-1',
 *     accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
 *     secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
 *   })
 *
 * @throws {TypeError} for wrong options
 */
export function createS3Blobs(options: S3BlobsOptions): Blobs {
  checkOptions<S3BlobsOptions>('createS3Blobs', options, {
    bucket: required(
      textLike(
        'the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
        (text) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text),
      ),
    ),
    accessKeyId: required(nonEmpty),
    secretAccessKey: required(nonEmpty),
    sessionToken: nonEmpty,
    region: nonEmpty,
    endpoint: baseAddress,
    prefix: textLike(
      'letters, digits and characters of _.- in segments with slashes between them',
      (text) => /^[\w.-]+(?:\/[\w.-]+)*$/.test(text),
    ),
    timeoutMs: whole(1),
  })
  const { bucket, region = 'us-east-1', prefix, timeoutMs = TIMEOUT_MS } = options
  const endpoint = String(options.endpoint ?? `https://s3.${region}.amazonaws.com`)
  const base = `${endpoint.replace(/(?<!\/)\/+$/, '')}/${bucket}`
  const before = prefix === undefined ? '' : `${prefix}/`
  const { accessKeyId, secretAccessKey, sessionToken } = options
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    region,
    service: 's3',
    retries: RETRIES,
  })
  let isClosed = false

  const urlOf = (name: string): string => {
    assertBlobName(name)
    return `${base}/${(before + name).split('/').map(encodeURIComponent).join('/')}`
  }
  const send = async (method: string, url: string, body?: Uint8Array<ArrayBuffer>) => {
    if (isClosed) throw new Error('The blobs are closed')
    return client.fetch(url, {
      method,
      ...(body && { body }),
      signal: AbortSignal.timeout(timeoutMs),
    })
  }

  return {
    async get(name) {
      const answer = await send('GET', urlOf(name))
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer())
      const error = await refusal(answer)
      if (error.code === 'NoSuchKey') return null
      throw error
    },
    async put(name, bytes) {
      // A copy, because some runtimes send the whole buffer of a view.
      const answer = await send('PUT', urlOf(name), Uint8Array.from(bytes))
      if (!answer.ok) throw await refusal(answer)
      await answer.body?.cancel()
    },
    async remove(name) {
      const answer = await send('DELETE', urlOf(name))
      if (answer.ok) return void (await answer.body?.cancel())
      const error = await refusal(answer)
      if (error.code !== 'NoSuchKey') throw error
    },
    async list(beginning) {
      const names: string[] = []
      let token: string | null = null
      do {
        const query = new URLSearchParams({
          'list-type': '2',
          'encoding-type': 'url',
          prefix: before + beginning,
          ...(token !== null && { 'continuation-token': token }),
        })
        const answer = await send('GET', `${base}?${query}`)
        if (!answer.ok) throw await refusal(answer)
        const text = await answer.text()
        for (const [, key = ''] of text.matchAll(/<Key>([^<]*)<\/Key>/g))
          names.push(nameOf(key).slice(before.length))
        token = memberOf(text, 'NextContinuationToken')
      } while (token !== null)
      return names
    },
    async close() {
      isClosed = true
    },
  }
}

/** Describes an error response by its code, such as `NoSuchBucket` or `AccessDenied`. */
class S3Refusal extends Error {
  override readonly name = 'S3Refusal'
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(`The bucket's service answered ${status} ${code}: ${message}`)
    this.code = code
  }
}

async function refusal(answer: Response): Promise<S3Refusal> {
  const text = await answer.text()
  const code = memberOf(text, 'Code')
  // Some services send no body with the answer that there is no object.
  return new S3Refusal(
    answer.status,
    code ?? (answer.status === 404 && text === '' ? 'NoSuchKey' : ''),
    (memberOf(text, 'Message') ?? '').slice(0, MOST_TOLD),
  )
}

function memberOf(text: string, name: string): string | null {
  const [begin, end] = [`<${name}>`, `</${name}>`]
  const start = text.indexOf(begin)
  const stop = start < 0 ? -1 : text.indexOf(end, start)
  const member = stop < 0 ? '' : text.slice(start + begin.length, stop)
  return member === '' ? null : decodeXML(member)
}

/** A key of a list with `encoding-type=url`: as in a query, with `+` for a space. */
function nameOf(key: string): string {
  return decodeURIComponent(decodeXML(key).replaceAll('+', ' '))
}
