const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const owner = 'p4Jx0Qm3sT9vYw2bN7cKfA'
const name = 'fountain-pen.jpg'
const token = 'vut3n1.Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE'

const item = {
  id: `med_${sha256}`,
  kind: 'image',
  name,
  contentType: 'image/jpeg',
  bytes: 48_213,
  sha256,
  width: 800,
  height: 600,
  sourceUrl: `https://shop.example.com/images/${name}`,
  firstSeenAt: '2030-01-31T12:05:09.000Z',
  url: `https://data.example.com/media/${owner}/${sha256}/${name}?token=${token}`,
  urlExpiresAt: '2030-01-31T13:15:00.000Z',
}

/** Examples of media, for the documentation. */
export const MEDIA_EXAMPLES = {
  get: {
    params: { id: `med_${sha256}` },
    data: item,
  },
  delete: { params: { id: `med_${sha256}` }, data: { id: `med_${sha256}`, deleted: true } },
  list: { query: { limit: '20' }, data: { items: [item], nextCursor: null } },
  file: { params: { owner, sha256, name }, query: { token } },
}
