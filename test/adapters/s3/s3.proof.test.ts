import { afterAll, beforeAll, expect, it } from 'vitest'
import { createS3Blobs, type S3BlobsOptions } from '../../../adapters/s3/index.ts'
import { blobsContract } from '../../contracts/blobs.ts'
import { startS3, type S3Server } from '../../support/fakes/s3-server.ts'

// Proves that blobs are kept in a bucket, by signed requests.

const ACCESS = {
  bucket: 'pages',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
let server: S3Server
beforeAll(async () => {
  server = await startS3(ACCESS)
})
afterAll(() => server.close())

let prefixes = 0
const open = (options: Partial<S3BlobsOptions> = {}) =>
  createS3Blobs({ ...ACCESS, endpoint: server.url, ...options })

blobsContract('createS3Blobs', async () => {
  const prefix = `tests/${prefixes++}`
  return { blobs: open({ prefix }), reopen: async () => open({ prefix }) }
})

it('names stay unchanged below the prefix, and more than one page of them is listed', async () => {
  const names = ['a b', 'a+b', 'a&b<c>', 'é/ü', '%2F', "it's (1)*!", 'rows/01J/0']
  const [blobs, other] = [open({ prefix: 'x/y' }), open({ prefix: 'x' })]
  for (const name of names) await blobs.put(name, new Uint8Array(1))
  expect([...server.objects.keys()].filter((key) => key.startsWith('x/y/')).toSorted()).toEqual(
    names.map((name) => `x/y/${name}`).toSorted(),
  )
  expect((await blobs.list('')).toSorted()).toEqual(names.toSorted())
  expect((await blobs.list('a')).toSorted()).toEqual(['a b', 'a&b<c>', 'a+b'])
  expect(await other.list('y/rows/')).toEqual(['y/rows/01J/0'])
})

it('a request to a busy service is tried again', async () => {
  const blobs = open()
  server.fail(503, 500)
  await blobs.put('busy', new Uint8Array([7]))
  server.fail(503)
  expect(await blobs.get('busy')).toEqual(new Uint8Array([7]))
})

it('an error has the words of the service, and a missing bucket does not count as a missing object', async () => {
  await expect(open({ bucket: 'other' }).get('a')).rejects.toThrow(
    '404 NoSuchBucket: There is none',
  )
  await expect(open({ secretAccessKey: 'wrong' }).put('a', new Uint8Array(1))).rejects.toThrow(
    '403 SignatureDoesNotMatch: Check your secret & key',
  )
})

it('the error of a wrong option names it', () => {
  expect(() => open({ bucket: 'Not_a_bucket' })).toThrow('createS3Blobs: bucket must be')
  expect(() => open({ prefix: 'a/' })).toThrow('prefix must be')
})
