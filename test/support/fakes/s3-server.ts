import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** The number of keys in a page of a list; in S3 itself it is 1,000. */
const PAGE = 3

/** A bucket of S3 on loopback. It checks each signature (AWS Signature Version 4). */
export interface S3Server {
  readonly url: string
  readonly objects: ReadonlyMap<string, Buffer>
  /** The next requests are answered with these statuses. */
  fail(...statuses: readonly number[]): void
  close(): Promise<void>
}

/** Starts a server that has one bucket and one key. */
export async function startS3({
  bucket,
  accessKeyId,
  secretAccessKey,
}: {
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const failing: number[] = []
  const answer = (
    request: IncomingMessage,
    body: Buffer,
  ): [status: number, body: Buffer | string] => {
    const status = failing.shift()
    if (status !== undefined) return [status, problem('SlowDown', 'Please reduce your rate')]
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    if (!isSigned(request, url, accessKeyId, secretAccessKey))
      return [403, problem('SignatureDoesNotMatch', 'Check your secret &amp; key')]
    const [, first, ...rest] = url.pathname.split('/')
    if (first !== bucket) return [404, problem('NoSuchBucket', 'There is none')]
    const key = rest.map(decodeURIComponent).join('/')
    if (key === '') return [200, listed(objects, url.searchParams)]
    const object = objects.get(key)
    if (request.method === 'GET')
      return object ? [200, object] : [404, problem('NoSuchKey', 'There is none')]
    if (request.method === 'PUT') objects.set(key, body)
    else objects.delete(key)
    return request.method === 'PUT' ? [200, ''] : [204, '']
  }
  const server = createServer(async (request, response) => {
    const [status, body] = answer(request, await buffer(request))
    response.writeHead(status).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    objects,
    fail: (...statuses) => void failing.push(...statuses),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function problem(code: string, message: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
}

/** One page of `ListObjectsV2`. A token is the last key of the page before. */
function listed(objects: ReadonlyMap<string, Buffer>, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? ''
  const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString()
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
  const page = keys.slice(0, PAGE)
  const next = keys.length > PAGE ? Buffer.from(page.at(-1) ?? '').toString('base64') : null
  const named = (key: string) =>
    encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/')
  return (
    '<?xml version="1.0"?><ListBucketResult>' +
    `<IsTruncated>${next !== null}</IsTruncated>` +
    page.map((key) => `<Contents><Key>${named(key)}</Key></Contents>`).join('') +
    `${next === null ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}` +
    '</ListBucketResult>'
  )
}

/** "Create a signed AWS API request" of the AWS documentation, step by step. */
function isSigned(request: IncomingMessage, url: URL, id: string, secret: string): boolean {
  const [, keyId, day = '', region = '', signed = '', signature] =
    /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)/.exec(
      request.headers.authorization ?? '',
    ) ?? []
  if (keyId !== id) return false
  const strict = (text: string) =>
    encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    )
  const canonical = [
    request.method,
    url.pathname.split('/').map(decodeURIComponent).map(strict).join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${strict(name)}=${strict(value)}`)
      .toSorted()
      .join('&'),
    ...signed.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    signed,
    request.headers['x-amz-content-sha256'],
  ].join('\n')
  const text = [
    'AWS4-HMAC-SHA256',
    request.headers['x-amz-date'],
    `${day}/${region}/s3/aws4_request`,
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n')
  const hmac = (key: string | Buffer, value: string) =>
    createHmac('sha256', key).update(value).digest()
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secret}`, day), region))
  return hmac(key, text).toString('hex') === signature
}
