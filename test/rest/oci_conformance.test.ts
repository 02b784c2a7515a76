// Each test takes long: the long run has them all.
// @module-tag long
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { blobOf, ContainerClient, INDEX, imageOf, MANIFEST, sha256 } from '../support/container_client.ts';
import { startWorld } from '../support/world.ts';

/**
 * What the conformance suite of the OCI distribution specification 1.1 asks of a registry, request by request: pulls, pushes,
 * discovery and management. What is optional there and left out here: sha512, and tags as parameters of manifests.
 */
const world = await startWorld();
const owner = await world.user();
const client = new ContainerClient(world.url, owner);
const EMPTY = 'application/vnd.oci.empty.v1+json';
const EXAMPLE = 'application/vnd.example.oci.conformance.v1';
const LAYER = 'application/vnd.oci.image.layer';

let name: string;
let elsewhere: string;

beforeAll(async () => {
  [name, elsewhere] = [
    (await world.project({ owner, visibility: 'private' })).fullPath.toLowerCase(),
    (await world.project({ owner, visibility: 'private' })).fullPath.toLowerCase(),
  ];
  expect(await client.pushImage(name, 'begun')).toBe(201);
});

const blobs = (digest = '') => `/v2/${name}/blobs/${digest}`;
const manifests = (reference: string) => `/v2/${name}/manifests/${reference}`;
const described = ({ digest, size }: { digest: string; size: number }, mediaType: string) => ({
  mediaType,
  digest,
  size,
});

/** Sends a manifest with what it needs; then it is there by tag and digest, byte for byte, and is deleted. */
async function accepted(tag: string, manifest: object, { type = MANIFEST, needs = [] as ReturnType<typeof blobOf>[] }) {
  for (const blob of needs) expect(await client.pushBlob(name, blob)).toBe(201);
  const text = JSON.stringify(manifest);
  const digest = sha256(text);
  const put = await client.putManifest(name, tag, text, type);
  expect([put.status, put.headers.get('docker-content-digest')]).toEqual([201, digest]);
  expect(await client.status(put.headers.get('location') ?? '')).toBe(200);
  for (const reference of [tag, digest]) {
    const got = await client.send(manifests(reference), { headers: { Accept: type } });
    expect([got.status, got.headers.get('content-type'), await got.text()]).toEqual([200, type, text]);
    const head = await client.send(manifests(reference), { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(Buffer.byteLength(text))]);
  }
  return { put, digest, size: Buffer.byteLength(text) };
}

const code = async (response: Response) => [
  response.status,
  ((await response.json()) as { errors: { code: string }[] }).errors[0]?.code,
];

async function began(at = name): Promise<string> {
  const begun = await client.send(`/v2/${at}/blobs/uploads/`, { method: 'POST' });
  expect(begun.status).toBe(202);
  return begun.headers.get('location') ?? '';
}

describe('Blobs', () => {
  it.each(['bytes=500-1499', 'bytes=500-', 'bytes=-500', 'bytes=2000-5000'])('are read in part: %s', async (range) => {
    const blob = blobOf(randomBytes(2_048));
    await client.pushBlob(name, blob);
    const [, first, last] = /=(\d*)-(\d*)/.exec(range) ?? [];
    const from = first === '' ? 2_048 - Number(last) : Number(first);
    const to = first === '' || last === '' ? 2_047 : Math.min(Number(last), 2_047);
    const part = await client.send(blobs(blob.digest), { headers: { Range: range } });
    expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
      206,
      `bytes ${from}-${to}/2048`,
      String(to - from + 1),
    ]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(blob.bytes.subarray(from, to + 1));
  });

  it('have no part behind their end', async () => {
    const blob = blobOf(randomBytes(2_048));
    await client.pushBlob(name, blob);
    expect(await client.status(blobs(blob.digest), { headers: { Range: 'bytes=5000-10000' } })).toBe(416);
  });

  it.each(['', '{}'])('may be as small as “%s”, sent at once or in two steps, and go', async (content) => {
    const blob = blobOf(content);
    const once = await client.send(`${blobs()}uploads/?digest=${blob.digest}`, { method: 'POST', body: blob.bytes });
    expect(once.status).toBe(201);
    expect(await client.status(blobs(blob.digest), { method: 'HEAD' })).toBe(200);
    expect(await client.status(blobs(blob.digest), { method: 'DELETE' })).toBe(202);
    expect(await client.status(blobs(blob.digest))).toBe(404);
    const at = await began();
    expect(await client.status(`${at}?digest=${blob.digest}`, { method: 'PUT', body: blob.bytes })).toBe(201);
    expect(Buffer.from(await (await client.send(blobs(blob.digest))).arrayBuffer())).toEqual(blob.bytes);
  });

  it.each([false, true])(
    'arrive in parts, the last with the end: %s; a part out of order is told to wait',
    async (isLast) => {
      const blob = blobOf(randomBytes(3_067));
      const parts = [0, 1_024, 2_048].map((from) => ({ from, bytes: blob.bytes.subarray(from, from + 1_024) }));
      const send = (at: string, { from, bytes }: (typeof parts)[number], method = 'PATCH') =>
        client.send(at, {
          method,
          headers: {
            'Content-Type': 'application/octet-stream',
            'Content-Range': `${from}-${from + bytes.length - 1}`,
            'Content-Length': String(bytes.length),
          },
          body: bytes,
        });
      const [first, second, third] = parts as [(typeof parts)[0], (typeof parts)[0], (typeof parts)[0]];
      let at = await began();
      expect((await send(at, second)).status).toBe(416);
      for (const part of isLast ? [first, second] : parts) {
        const sent = await send(at, part);
        expect([sent.status, sent.headers.get('range')]).toEqual([202, `0-${part.from + part.bytes.length - 1}`]);
        at = sent.headers.get('location') ?? '';
        const told = await client.send(at);
        expect([told.status, told.headers.get('range')]).toEqual([204, `0-${part.from + part.bytes.length - 1}`]);
        expect((await send(at, first)).status).toBe(416);
      }
      const end = `${at}?digest=${blob.digest}`;
      const ended = isLast ? await send(end, third, 'PUT') : await client.send(end, { method: 'PUT' });
      expect([ended.status, ended.headers.get('location')]).toEqual([201, blobs(blob.digest)]);
      expect(Buffer.from(await (await client.send(blobs(blob.digest))).arrayBuffer())).toEqual(blob.bytes);
    },
  );

  it('with another digest are refused, however they are sent, and an upload can be canceled', async () => {
    const blob = blobOf();
    const odd = Buffer.concat([blob.bytes, Buffer.from('oh no')]);
    const once = await client.send(`${blobs()}uploads/?digest=${blob.digest}`, { method: 'POST', body: odd });
    expect(await code(once)).toEqual([400, 'DIGEST_INVALID']);
    const put = await client.send(`${await began()}?digest=${blob.digest}`, { method: 'PUT', body: odd });
    expect(await code(put)).toEqual([400, 'DIGEST_INVALID']);
    const streamed = await client.send(await began(), { method: 'PATCH', body: odd });
    const end = `${streamed.headers.get('location')}?digest=${blob.digest}`;
    expect(await code(await client.send(end, { method: 'PUT' }))).toEqual([400, 'DIGEST_INVALID']);
    expect(await client.status(blobs(blob.digest))).toBe(404);
    const canceled = await began();
    expect(await client.status(canceled, { method: 'DELETE' })).toBe(204);
    expect(await client.status(canceled)).toBe(404);
  });

  it('are taken over from a repository that has them; from one that has not, or none, an upload begins', async () => {
    const blob = blobOf();
    await client.pushBlob(elsewhere, blob);
    // With a token for both, as the challenge says.
    const mount = (digest: string, from: string) =>
      new ContainerClient(world.url, owner).send(`${blobs()}uploads/?mount=${digest}${from}`, { method: 'POST' });
    const mounted = await mount(blob.digest, `&from=${elsewhere}`);
    expect([mounted.status, await client.status(blobs(blob.digest))]).toEqual([201, 200]);
    const missing = await mount(sha256('missing'), `&from=${elsewhere}`);
    expect([missing.status, missing.headers.get('location')]).toEqual([
      202,
      expect.stringContaining(`${blobs()}uploads/`),
    ]);
    const other = blobOf();
    await client.pushBlob(elsewhere, other);
    expect([201, 202]).toContain((await mount(other.digest, '')).status);
  });
});

describe('Manifests', () => {
  const image = (more: Record<string, unknown> = {}) => imageOf({ layers: [blobOf()], ...more });

  it('are of images, of layers that lie elsewhere, of none, and of artifacts, with fields that nobody knows', async () => {
    const plain = image();
    const sent = { needs: [plain.config, ...plain.layers] };
    await accepted('plain', plain.manifest, sent);
    await accepted('custom', { ...plain.manifest, 'org.example.custom': randomBytes(4).toString('hex') }, sent);
    await accepted('no-layers', { ...plain.manifest, layers: [] }, sent);
    const away = { mediaType: `${LAYER}.nondistributable.v1.tar+gzip`, digest: sha256('away'), size: 123_456 };
    const layers = [{ ...away, urls: ['https://store.example.com/away'] }, ...plain.manifest.layers];
    await accepted('elsewhere', { ...plain.manifest, layers }, sent);
    const data = plain.config.bytes.toString('base64');
    await accepted('data', { ...plain.manifest, config: { ...plain.manifest.config, data } }, sent);
    const none = blobOf('{}');
    const artifact = {
      ...{ schemaVersion: 2, mediaType: MANIFEST, artifactType: EXAMPLE },
      ...{ config: described(none, EMPTY), layers: [described(none, EMPTY)] },
    };
    await accepted('artifact', artifact, { needs: [none] });
  });

  it('may have nearly four megabytes', async () => {
    const plain = image();
    const annotations = Object.fromEntries(
      Array.from({ length: 390 }, (_, at) => [`large-annotation-${at}`, 'A'.repeat(10_000)]),
    );
    await accepted('large', { ...plain.manifest, annotations }, { needs: [plain.config, ...plain.layers] });
  });

  it('are indexes of images and of indexes, and of nothing', async () => {
    const [amd, arm] = [image(), image()];
    const ofImages = [];
    for (const [one, architecture] of [[amd, 'amd64'] as const, [arm, 'arm64'] as const]) {
      await accepted(architecture, one.manifest, { needs: [one.config, ...one.layers] });
      ofImages.push({ ...described(one, MANIFEST), platform: { os: 'linux', architecture } });
    }
    const index = (list: object[], more = {}) => ({
      schemaVersion: 2,
      mediaType: INDEX,
      manifests: list,
      ...more,
    });
    const type = { type: INDEX };
    const two = await accepted('index', index(ofImages), type);
    await accepted('artifacts', index(ofImages, { artifactType: EXAMPLE }), type);
    await accepted('empty', index([]), type);
    await accepted('nested', index([described(two, INDEX)]), type);
  });

  it('name what they are about, which may be missing, and are listed there by kind', async () => {
    const subject = { mediaType: MANIFEST, digest: sha256(`subject ${randomBytes(4).toString('hex')}`), size: 123 };
    const about = (artifactType: string) => image({ subject, artifactType, annotations: { nonce: artifactType } });
    const [one, other] = [about(EXAMPLE), about(`${EXAMPLE}.other`)];
    for (const artifact of [one, other]) {
      const { put } = await accepted(artifact.digest.slice(-8), artifact.manifest, {
        needs: [artifact.config, ...artifact.layers],
      });
      expect(put.headers.get('oci-subject')).toBe(subject.digest);
    }
    const referrers = async (query = '') =>
      (await (await client.send(`/v2/${name}/referrers/${subject.digest}${query}`)).json()) as {
        manifests: { digest: string; artifactType: string }[];
      };
    const digests = ({ manifests: list }: Awaited<ReturnType<typeof referrers>>) => list.map(({ digest }) => digest);
    expect(digests(await referrers()).toSorted()).toEqual([one.digest, other.digest].toSorted());
    expect(digests(await referrers(`?artifactType=${EXAMPLE}`))).toEqual([one.digest]);
    expect(await client.status(manifests(one.digest), { method: 'DELETE' })).toBe(202);
    expect(digests(await referrers())).toEqual([other.digest]);
  });

  it('are refused with layers or images that the repository lacks', async () => {
    const plain = image();
    await client.pushBlob(name, plain.config);
    expect(await code(await client.putManifest(name, 'sparse', plain.text))).toEqual([404, 'MANIFEST_BLOB_UNKNOWN']);
    const lacking = { schemaVersion: 2, mediaType: INDEX, manifests: [described(plain, MANIFEST)] };
    expect(await code(await client.putManifest(name, 'sparse', lacking, INDEX))).toEqual([
      404,
      'MANIFEST_BLOB_UNKNOWN',
    ]);
    expect(await client.status(manifests('sparse'))).toBe(404);
  });

  it.each(['sha256:baddigeststring', 'sha1:x', `sha256:${'G'.repeat(64)}`])('have no digest %s', async (digest) => {
    const { text } = image();
    expect([400, 404]).toContain((await client.putManifest(name, digest, text)).status);
    expect([400, 404]).toContain(await client.status(manifests(digest)));
  });

  it('are missing with the code of the specification, and so are tags', async () => {
    expect(await code(await client.send(manifests(sha256('none'))))).toEqual([404, 'MANIFEST_UNKNOWN']);
    expect(await code(await client.send(manifests('none')))).toEqual([404, 'MANIFEST_UNKNOWN']);
    for (const reference of [sha256('none'), 'none'])
      expect(await client.status(manifests(reference), { method: 'HEAD' })).toBe(404);
  });
});

describe('Tags', () => {
  it('are listed page by page in their order, and go with their manifests', async () => {
    const at = `${name}/tagged`;
    const image = imageOf();
    for (const tag of ['test0', 'TEST1', 'test2', 'a']) expect(await client.pushImage(at, tag, image)).toBe(201);
    const list = async (query = '') => {
      const response = await client.send(`/v2/${at}/tags/list${query}`);
      return { link: response.headers.get('link'), ...((await response.json()) as { name: string; tags: string[] }) };
    };
    expect(await list()).toEqual({ link: null, name: at, tags: ['TEST1', 'a', 'test0', 'test2'] });
    const first = await list('?n=2');
    expect(first.tags).toEqual(['TEST1', 'a']);
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(first.link ?? '') ?? [];
    expect(((await (await client.send(next)).json()) as { tags: string[] }).tags).toEqual(['test0', 'test2']);
    expect((await list('?n=10&last=test0')).tags).toEqual(['test2']);
    expect((await list('?n=0')).tags).toEqual([]);
    expect(await client.status(`/v2/${at}/manifests/a`, { method: 'DELETE' })).toBe(202);
    expect((await list()).tags).toEqual(['TEST1', 'test0', 'test2']);
    expect(await client.status(`/v2/${at}/manifests/${image.digest}`, { method: 'DELETE' })).toBe(202);
    expect((await list()).tags).toEqual([]);
  });
});
