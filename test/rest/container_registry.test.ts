// One part in depth, which the long run has.
// @module-tag long
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { signJwt } from '#src/access/oauth/jwt.ts';
import { currentKeys } from '#src/access/oauth/keys.ts';
import { cleanUpContainers } from '#src/domain/container_registry/clean_up.ts';
import { containersStore } from '#src/domain/container_registry/place.ts';
import { blobOf, ContainerClient, INDEX, imageOf, MANIFEST, sha256 } from '../support/container_client.ts';
import { LONG } from '../support/long.ts';
import { bearer, post } from '../support/oauth.ts';
import { endJob, takenJob } from '../support/running_job.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const LIMIT = 1024 * 1024;
const world = await startWorld({ limits: { containerBlobBytes: LIMIT, quotaBytes: 3 * LIMIT } });
const [owner, master, developer, reporter, guest] = [
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
];
const [stranger, external] = [await world.user(), await world.user({ external: true })];

async function stage(visibility: 'private' | 'internal' | 'public' = 'private') {
  const project = await world.project({ owner, visibility });
  const levels = { master, developer, reporter, guest } as const;
  for (const [level, who] of Object.entries(levels)) await world.member(project, who, level as keyof typeof levels);
  return { project, name: project.fullPath.toLowerCase() };
}

const as = (who: TestUser | string | null) => new ContainerClient(world.url, who);

async function errorOf(response: Response) {
  const { errors } = (await response.json()) as { errors: { code: string; message: string }[] };
  return [response.status, errors[0]?.code];
}

async function storedFiles() {
  let count = 0;
  for await (const _ of containersStore(world.as(owner)).list()) count++;
  return count;
}

const sizeOf = async (project: { id: number }) =>
  Number(
    (await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: project.id } })).containerRegistrySize,
  );

/** Begins an upload, and returns where it goes on. */
async function begun(client: ContainerClient, name: string): Promise<string> {
  const response = await client.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' });
  expect(response.status).toBe(202);
  return response.headers.get('location') ?? '';
}

describe('Container registry', () => {
  it('asks clients to get a token, and tells those with one that it is there', async () => {
    const response = await fetch(`${world.url}/v2/`);
    expect(await errorOf(response)).toEqual([401, 'UNAUTHORIZED']);
    const realm = `realm="${world.url}/jwt/auth",service="container_registry"`;
    expect(response.headers.get('www-authenticate')).toBe(`Bearer ${realm}`);
    expect(response.headers.get('docker-distribution-api-version')).toBe('registry/2.0');
    const answer = await as(developer).token([]);
    const body = (await answer.json()) as Record<string, unknown>;
    expect(body).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      access_token: body.token,
      expires_in: 300,
      issued_at: expect.stringMatching(/^\d{4}-/),
    });
    expect(await as(developer).status('/v2/')).toBe(200);
    expect(await as(null).status('/v2/')).toBe(200);
    const odd = [{ Authorization: 'Bearer nonsense' }, { Authorization: `Bearer ${body.token}x` }];
    for (const headers of odd) expect((await fetch(`${world.url}/v2/`, { headers })).status).toBe(401);
  });

  it('takes an image and gives it back byte for byte, by its tag and by its digest', async () => {
    const { project, name } = await stage();
    const image = imageOf({ layers: [blobOf(), blobOf()] });
    expect(await as(developer).pushImage(`${name}/app`, 'v1', image)).toBe(201);
    const client = as(reporter);
    for (const reference of ['v1', image.digest]) {
      const response = await client.send(`/v2/${name}/app/manifests/${reference}`);
      expect([
        response.status,
        response.headers.get('content-type'),
        response.headers.get('docker-content-digest'),
      ]).toEqual([200, MANIFEST, image.digest]);
      expect(await response.text()).toBe(image.text);
      const head = await client.send(`/v2/${name}/app/manifests/${reference}`, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(image.size)]);
    }
    for (const { bytes, digest, size } of [image.config, ...image.layers]) {
      const at = `/v2/${name}/app/blobs/${digest}`;
      const response = await client.send(at);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
      const head = await client.send(at, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)]);
      const part = await client.send(at, { headers: { Range: 'bytes=10-19' } });
      expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, bytes.subarray(10, 20)]);
      const etag = response.headers.get('etag') ?? '';
      expect(await client.status(at, { headers: { 'If-None-Match': etag } })).toBe(304);
    }
    const bytes = image.size + [image.config, ...image.layers].reduce((sum, { size }) => sum + size, 0);
    const { body } = await world.api(owner).get(`/projects/${project.id}?statistics=true`);
    expect([body.statistics.container_registry_size, body.container_registry_enabled]).toEqual([bytes, true]);
  });

  it('answers in the form of the specification for what is not there', async () => {
    const { name } = await stage();
    const client = as(developer);
    await client.pushImage(name, 'v1');
    const none = sha256('nothing');
    const wanted: [string, number, string][] = [
      [`/v2/${name}/blobs/${none}`, 404, 'BLOB_UNKNOWN'],
      [`/v2/${name}/manifests/${none}`, 404, 'MANIFEST_UNKNOWN'],
      [`/v2/${name}/manifests/other`, 404, 'MANIFEST_UNKNOWN'],
      [`/v2/${name}/other/manifests/v1`, 404, 'NAME_UNKNOWN'],
      [`/v2/${name}/a/b/c/manifests/v1`, 404, 'NAME_UNKNOWN'],
      [`/v2/nobody/nothing/manifests/v1`, 404, 'NAME_UNKNOWN'],
      [`/v2/${name}/UPPER/manifests/v1`, 400, 'NAME_INVALID'],
      [`/v2/${name}/blobs/sha256:short`, 400, 'DIGEST_INVALID'],
      [`/v2/${name}/blobs/sha512:${'a'.repeat(128)}`, 400, 'DIGEST_INVALID'],
      [`/v2/${name}/manifests/.odd`, 400, 'TAG_INVALID'],
      [`/v2/${name}/manifests/${'t'.repeat(129)}`, 400, 'TAG_INVALID'],
      [`/v2/${name}/tags/list?n=x`, 400, 'PAGINATION_NUMBER_INVALID'],
      [`/v2/${name}/blobs/uploads/${'0'.repeat(32)}`, 404, 'BLOB_UPLOAD_UNKNOWN'],
      ['/v2/_catalog', 404, 'UNSUPPORTED'],
    ];
    for (const [path, ...expected] of wanted)
      expect([path, ...(await errorOf(await client.send(path)))]).toEqual([path, ...expected]);
    const posted = await client.send(`/v2/${name}/tags/list`, { method: 'POST' });
    expect([...(await errorOf(posted)), posted.headers.get('allow')]).toEqual([405, 'UNSUPPORTED', 'GET']);
  });

  it('finds repositories whose names have the words of its own paths', LONG, async () => {
    const { name } = await stage();
    const client = as(developer);
    for (const odd of ['blobs/uploads', 'manifests', 'tags/list']) {
      const image = imageOf();
      expect([odd, await client.pushImage(`${name}/${odd}`, 'v1', image)]).toEqual([odd, 201]);
      const read = await client.send(`/v2/${name}/${odd}/manifests/v1`);
      expect(read.headers.get('docker-content-digest')).toBe(image.digest);
    }
  });

  it('takes blobs in parts, in order, and tells how far it is', async () => {
    const { name } = await stage();
    const client = as(developer);
    const blob = blobOf(randomBytes(3_000));
    const at = await begun(client, name);
    const patch = (start: number, end: number) =>
      client.send(at, {
        method: 'PATCH',
        headers: { 'Content-Range': `${start}-${end - 1}`, 'Content-Type': 'application/octet-stream' },
        body: blob.bytes.subarray(start, end),
      });
    const first = await patch(0, 1_000);
    expect([first.status, first.headers.get('range')]).toEqual([202, '0-999']);
    // Neither again nor with a gap.
    for (const [start, end] of [
      [0, 1_000],
      [2_000, 3_000],
    ] as const) {
      const refused = await patch(start, end);
      expect([refused.headers.get('range'), ...(await errorOf(refused))]).toEqual(['0-999', 416, 'RANGE_INVALID']);
    }
    const told = await client.send(at);
    expect([told.status, told.headers.get('range'), told.headers.get('location')]).toEqual([204, '0-999', at]);
    expect((await patch(1_000, 2_000)).status).toBe(202);
    const ended = await client.send(`${at}?digest=${blob.digest}`, {
      method: 'PUT',
      headers: { 'Content-Range': '2000-2999' },
      body: blob.bytes.subarray(2_000),
    });
    expect([ended.status, ended.headers.get('docker-content-digest')]).toEqual([201, blob.digest]);
    const read = await client.send(ended.headers.get('location') ?? '');
    expect(Buffer.from(await read.arrayBuffer())).toEqual(blob.bytes);
    expect(await client.status(at)).toBe(404);
  });

  it('takes blobs at once, by POST or by PUT, and empty ones', LONG, async () => {
    const { name } = await stage();
    const client = as(developer);
    const [one, other, empty] = [blobOf(), blobOf(), blobOf('')];
    const posted = await client.send(`/v2/${name}/blobs/uploads/?digest=${one.digest}`, {
      method: 'POST',
      body: one.bytes,
    });
    expect([posted.status, posted.headers.get('location')]).toEqual([201, `/v2/${name}/blobs/${one.digest}`]);
    const at = await begun(client, name);
    expect(await client.status(`${at}?digest=${other.digest}`, { method: 'PUT', body: other.bytes })).toBe(201);
    expect(await client.status(`${await begun(client, name)}?digest=${empty.digest}`, { method: 'PUT' })).toBe(201);
    for (const { digest, bytes } of [one, other, empty]) {
      const read = await client.send(`/v2/${name}/blobs/${digest}`);
      expect(Buffer.from(await read.arrayBuffer())).toEqual(bytes);
    }
  });

  it('keeps nothing of content with another digest, of what is too large, broken off or canceled', async () => {
    const { project, name } = await stage();
    const client = as(developer);
    const before = await storedFiles();
    const one = blobOf();
    const wrong = await client.send(`/v2/${name}/blobs/uploads/?digest=${sha256('else')}`, {
      method: 'POST',
      body: one.bytes,
    });
    expect(await errorOf(wrong)).toEqual([400, 'DIGEST_INVALID']);
    const at = await begun(client, name);
    await client.send(at, { method: 'PATCH', body: one.bytes });
    const ended = await client.send(`${at}?digest=${sha256('else')}`, { method: 'PUT' });
    expect(await errorOf(ended)).toEqual([400, 'DIGEST_INVALID']);
    const without = await client.send(await begun(client, name), { method: 'PUT' });
    expect(await errorOf(without)).toEqual([400, 'DIGEST_INVALID']);
    const large = await begun(client, name);
    expect(await errorOf(await client.send(large, { method: 'PATCH', body: Buffer.alloc(LIMIT + 1) }))).toEqual([
      413,
      'SIZE_INVALID',
    ]);
    const half = Buffer.alloc(LIMIT / 2 + 1);
    expect(await client.status(large, { method: 'PATCH', body: half })).toBe(202);
    expect(await client.status(large, { method: 'PATCH', body: half })).toBe(413);
    const mismatch = { 'Content-Range': `${half.length}-${half.length + 5}` };
    expect(await errorOf(await client.send(large, { method: 'PATCH', headers: mismatch, body: 'four' }))).toEqual([
      400,
      'SIZE_INVALID',
    ]);
    expect(await client.status(large, { method: 'DELETE' })).toBe(204);
    expect(await client.status(large)).toBe(404);
    expect([await storedFiles(), await sizeOf(project)]).toEqual([before, 0]);
    expect(await client.status(`/v2/${name}/blobs/${one.digest}`, { method: 'HEAD' })).toBe(404);
  });

  it('takes blobs whose size clients do not say, as Docker does not, and nothing of those that are too large', async () => {
    const { name } = await stage();
    const before = await storedFiles();
    const { token } = (await (await as(developer).token([`repository:${name}:pull,push`])).json()) as { token: string };
    const stream = async (path: string, method: string, content: Buffer) => {
      const body = Readable.toWeb(Readable.from([content.subarray(0, 1_000), content.subarray(1_000)]));
      const headers = { Authorization: `Bearer ${token}` };
      const request = { method, headers, body, duplex: 'half' } as RequestInit;
      return fetch(new URL(path, world.url), request);
    };
    const [blob, other] = [blobOf(), blobOf()];
    const at = await begun(as(developer), name);
    const sent = await stream(at, 'PATCH', blob.bytes);
    expect([sent.status, sent.headers.get('range')]).toEqual([202, `0-${blob.size - 1}`]);
    expect((await stream(`${at}?digest=${blob.digest}`, 'PUT', Buffer.alloc(0))).status).toBe(201);
    const posted = await stream(`/v2/${name}/blobs/uploads/?digest=${other.digest}`, 'POST', other.bytes);
    expect(posted.status).toBe(201);
    for (const { digest, bytes } of [blob, other]) {
      const read = await as(developer).send(`/v2/${name}/blobs/${digest}`);
      expect(Buffer.from(await read.arrayBuffer())).toEqual(bytes);
    }
    const large = Buffer.alloc(LIMIT + 1);
    expect(await errorOf(await stream(await begun(as(developer), name), 'PATCH', large))).toEqual([
      413,
      'SIZE_INVALID',
    ]);
    const refused = await stream(`/v2/${name}/blobs/uploads/?digest=${blob.digest}`, 'POST', large);
    expect(await errorOf(refused)).toEqual([413, 'SIZE_INVALID']);
    expect(await storedFiles()).toBe(before + 2);
  });

  it('counts what is sent in the quota of the project, each blob once, also while it is being sent', async () => {
    const { project, name } = await stage();
    const client = as(developer);
    const [one, other] = [blobOf(randomBytes(LIMIT)), blobOf(randomBytes(LIMIT))];
    expect(await client.pushBlob(name, one)).toBe(201);
    expect(await client.pushBlob(`${name}/second`, one)).toBe(201);
    expect(await sizeOf(project)).toBe(LIMIT);
    expect(await client.pushBlob(name, other)).toBe(201);
    const at = await begun(client, name);
    expect(await client.status(at, { method: 'PATCH', body: randomBytes(LIMIT / 2) })).toBe(202);
    const full = await client.send(await begun(client, name), { method: 'PATCH', body: randomBytes(LIMIT / 2 + 1) });
    expect(await errorOf(full)).toEqual([403, 'DENIED']);
    await client.send(at, { method: 'DELETE' });
    expect(await client.pushBlob(name, blobOf(randomBytes(LIMIT / 2 + 1)))).toBe(201);
  });

  it('keeps one copy of a blob, and gives it to none that has not sent it, nor may read it where it is', async () => {
    const [mine, other] = [await stage(), await stage()];
    const foreign = (await world.project({ owner: stranger, visibility: 'private' })).fullPath.toLowerCase();
    const client = as(developer);
    const blob = blobOf();
    await client.pushBlob(mine.name, blob);
    await as(stranger).pushBlob(foreign, blobOf());
    const before = await storedFiles();
    expect(await client.status(`/v2/${other.name}/blobs/${blob.digest}`, { method: 'HEAD' })).toBe(404);
    expect(await client.pushBlob(other.name, blob)).toBe(201);
    expect(await storedFiles()).toBe(before);
    // A token for both repositories is needed, as Docker asks for.
    const secret = blobOf('secret of the stranger');
    await as(stranger).pushBlob(foreign, secret);
    const scopes = [
      `repository:${mine.name}/new:pull,push`,
      `repository:${foreign}:pull`,
      `repository:${other.name}:pull`,
    ];
    const { token } = (await (await client.token(scopes)).json()) as { token: string };
    const mount = (digest: string, from: string) =>
      fetch(`${world.url}/v2/${mine.name}/new/blobs/uploads/?mount=${digest}&from=${from}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
      });
    const mounted = await mount(blob.digest, other.name);
    expect([mounted.status, mounted.headers.get('location')]).toEqual([
      201,
      `/v2/${mine.name}/new/blobs/${blob.digest}`,
    ]);
    expect(await client.status(`/v2/${mine.name}/new/blobs/${blob.digest}`, { method: 'HEAD' })).toBe(200);
    // What cannot be mounted is to be sent instead.
    expect((await mount(secret.digest, foreign)).status).toBe(202);
    expect((await mount(sha256('none'), other.name)).status).toBe(202);
    expect(await client.status(`/v2/${mine.name}/new/blobs/${secret.digest}`, { method: 'HEAD' })).toBe(404);
  });

  it('refuses manifests that are not well-formed, or need what the repository lacks', async () => {
    const { name } = await stage();
    const client = as(developer);
    const image = imageOf();
    const put = async (manifest: object | string, type?: string, reference = 'v1') =>
      errorOf(await client.putManifest(name, reference, manifest, type));
    expect(await put(image.manifest)).toEqual([404, 'MANIFEST_BLOB_UNKNOWN']);
    await client.pushImage(name, 'good', image);
    const { manifest } = image;
    const odd: (object | string)[] = [
      'no JSON',
      '[]',
      'null',
      '{}',
      Buffer.from([0xff, 0xfe]).toString('latin1').repeat(2),
      { ...manifest, schemaVersion: 1 },
      { ...manifest, mediaType: INDEX },
      { ...manifest, config: undefined },
      { ...manifest, layers: 'none' },
      { ...manifest, layers: [{ ...manifest.layers[0], size: -1 }] },
      { ...manifest, layers: [{ ...manifest.layers[0], size: 5 }] },
      { ...manifest, layers: [{ ...manifest.layers[0], digest: 'md5:1' }] },
      { ...manifest, layers: Array.from({ length: 1_001 }, () => manifest.layers[0]) },
      { ...manifest, manifests: [] },
      { ...manifest, annotations: { a: 1 } },
      { ...manifest, subject: { digest: 'x', size: 1 } },
    ];
    for (const one of odd) expect([one, ...(await put(one))]).toEqual([one, 400, 'MANIFEST_INVALID']);
    expect(await put(manifest, 'application/json')).toEqual([400, 'MANIFEST_INVALID']);
    expect(await put(manifest, MANIFEST, sha256('else'))).toEqual([400, 'DIGEST_INVALID']);
    const large = { ...manifest, annotations: { text: 'x'.repeat(4 * 1024 * 1024) } };
    expect(await put(large)).toEqual([413, 'SIZE_INVALID']);
    const many = { ...manifest, annotations: Array.from({ length: 100_001 }, () => 1) };
    expect(await put(many)).toEqual([413, 'SIZE_INVALID']);
    const tags = await client.send(`/v2/${name}/tags/list`);
    expect(await tags.json()).toEqual({ name, tags: ['good'] });
  });

  it('keeps indexes of images for several machines, whose images must be there and stay', async () => {
    const { name } = await stage();
    const client = as(master);
    const [amd, arm] = [imageOf(), imageOf()];
    const listed = [amd, arm].map(({ digest, size }) => ({ mediaType: MANIFEST, digest, size }));
    const index = { schemaVersion: 2, mediaType: INDEX, manifests: listed };
    await client.pushImage(name, amd.digest, amd);
    expect(await errorOf(await client.putManifest(name, 'v1', index, INDEX))).toEqual([404, 'MANIFEST_BLOB_UNKNOWN']);
    await client.pushImage(name, arm.digest, arm);
    expect((await client.putManifest(name, 'v1', index, INDEX)).status).toBe(201);
    const read = await client.send(`/v2/${name}/manifests/v1`, { headers: { Accept: MANIFEST } });
    expect([read.headers.get('content-type'), await read.json()]).toEqual([INDEX, index]);
    const refused = await client.send(`/v2/${name}/manifests/${amd.digest}`, { method: 'DELETE' });
    expect(await errorOf(refused)).toEqual([405, 'UNSUPPORTED']);
  });

  it('lists tags in the order of their bytes, page by page', async () => {
    const { name } = await stage();
    const client = as(developer);
    const image = imageOf();
    for (const tag of ['b', 'a', 'B', '1.0', 'a-1']) await client.pushImage(name, tag, image);
    await client.pushImage(`${name}/other`, 'decoy');
    const list = async (query: string) => {
      const response = await client.send(`/v2/${name}/tags/list${query}`);
      return [((await response.json()) as { tags: string[] }).tags, response.headers.get('link')];
    };
    expect(await list('')).toEqual([['1.0', 'B', 'a', 'a-1', 'b'], null]);
    expect(await list('?n=2')).toEqual([['1.0', 'B'], `</v2/${name}/tags/list?n=2&last=B>; rel="next"`]);
    expect(await list('?n=3&last=B')).toEqual([['a', 'a-1', 'b'], null]);
    expect(await list('?n=0')).toEqual([[], null]);
  });

  it('lists what is about a manifest, such as signatures, whether that is there or not', async () => {
    const { name } = await stage();
    const client = as(developer);
    const image = imageOf();
    const subject = { mediaType: MANIFEST, digest: image.digest, size: image.size };
    const signature = imageOf({
      subject,
      artifactType: 'application/vnd.example.signature',
      annotations: { by: 'Ada' },
    });
    const sbom = imageOf({ subject, artifactType: 'application/vnd.example.sbom' });
    await client.pushImage(name, 'decoy');
    for (const one of [signature, sbom]) {
      for (const blob of [one.config, ...one.layers]) await client.pushBlob(name, blob);
      const put = await client.putManifest(name, one.digest, one.text);
      expect([put.status, put.headers.get('oci-subject')]).toEqual([201, image.digest]);
    }
    const list = async (query = '') => {
      const response = await client.send(`/v2/${name}/referrers/${image.digest}${query}`);
      const body = (await response.json()) as { manifests: { digest: string }[] };
      return { body, type: response.headers.get('content-type'), applied: response.headers.get('oci-filters-applied') };
    };
    const all = await list();
    expect([all.type, all.applied, all.body.manifests.length]).toEqual([INDEX, null, 2]);
    expect(all.body).toMatchObject({ schemaVersion: 2, mediaType: INDEX });
    const wanted = await list('?artifactType=application/vnd.example.signature');
    expect([wanted.applied, wanted.body.manifests]).toEqual([
      'artifactType',
      [
        {
          mediaType: MANIFEST,
          digest: signature.digest,
          size: signature.size,
          artifactType: 'application/vnd.example.signature',
          annotations: { by: 'Ada' },
        },
      ],
    ]);
    const none = await client.send(`/v2/${name}/referrers/${sha256('none')}`);
    expect(await none.json()).toEqual({ schemaVersion: 2, mediaType: INDEX, manifests: [] });
  });

  it('deletes tags, manifests with their tags, and blobs that no manifest needs', async () => {
    const { project, name } = await stage();
    const client = as(master);
    const [image, decoy] = [imageOf(), imageOf()];
    await client.pushImage(name, 'decoy', decoy);
    const before = await sizeOf(project);
    for (const tag of ['v1', 'v2', 'v3']) await client.pushImage(name, tag, image);
    const gone = (path: string) => client.status(`/v2/${name}/${path}`, { method: 'DELETE' });
    const tags = async () => ((await (await client.send(`/v2/${name}/tags/list`)).json()) as { tags: string[] }).tags;
    expect([await gone('manifests/v1'), await gone('manifests/v1')]).toEqual([202, 404]);
    expect(await tags()).toEqual(['decoy', 'v2', 'v3']);
    expect(await client.status(`/v2/${name}/manifests/${image.digest}`)).toBe(200);
    expect(await gone(`blobs/${image.config.digest}`)).toBe(405);
    expect([await gone(`manifests/${image.digest}`), await gone(`manifests/${image.digest}`)]).toEqual([202, 404]);
    expect(await tags()).toEqual(['decoy']);
    for (const { digest } of [image.config, ...image.layers]) expect(await gone(`blobs/${digest}`)).toBe(202);
    expect(await client.status(`/v2/${name}/blobs/${image.config.digest}`)).toBe(404);
    expect(await sizeOf(project)).toBe(before);
    expect(await client.status(`/v2/${name}/manifests/decoy`)).toBe(200);
  });

  it('takes two pushes of one image at once, and of one tag, and of one upload only one end', LONG, async () => {
    const { project, name } = await stage();
    const image = imageOf();
    const pushes = Array.from({ length: 4 }, () => as(developer).pushImage(name, 'latest', image));
    expect(await Promise.all(pushes)).toEqual([201, 201, 201, 201]);
    const bytes = image.size + image.config.size + (image.layers[0]?.size ?? 0);
    expect(await sizeOf(project)).toBe(bytes);
    const client = as(developer);
    const blob = blobOf();
    const at = await begun(client, name);
    await client.send(at, { method: 'PATCH', body: blob.bytes });
    const ends = await Promise.all(
      [1, 2, 3].map(() => client.status(`${at}?digest=${blob.digest}`, { method: 'PUT' })),
    );
    expect(ends.sort()).toEqual([201, 404, 404]);
    const read = await client.send(`/v2/${name}/blobs/${blob.digest}`);
    expect(Buffer.from(await read.arrayBuffer())).toEqual(blob.bytes);
    const two = await begun(client, name);
    const parts = await Promise.all(
      [1, 2].map(() =>
        client.status(two, { method: 'PATCH', headers: { 'Content-Range': '0-2999' }, body: blob.bytes }),
      ),
    );
    expect(parts.sort()).toEqual([202, 416]);
  });
});

describe('Rights in the container registry', () => {
  const people = { owner, master, developer, reporter, guest, stranger, external, nobody: null };
  type Person = keyof typeof people;
  const RIGHTS: ['private' | 'internal' | 'public', Record<'pull' | 'push' | 'delete', Person[]>][] = [
    [
      'private',
      {
        pull: ['owner', 'master', 'developer', 'reporter'],
        push: ['owner', 'master', 'developer'],
        delete: ['owner', 'master'],
      },
    ],
    [
      'internal',
      {
        pull: ['owner', 'master', 'developer', 'reporter', 'guest', 'stranger'],
        push: ['owner', 'master', 'developer'],
        delete: ['owner', 'master'],
      },
    ],
    [
      'public',
      { pull: Object.keys(people) as Person[], push: ['owner', 'master', 'developer'], delete: ['owner', 'master'] },
    ],
  ];

  it.each(RIGHTS)('are those of the role in a %s project', async (visibility, rights) => {
    const { name } = await stage(visibility);
    const image = imageOf();
    await as(developer).pushImage(name, 'v1', image);
    for (const [person, who] of Object.entries(people) as [Person, TestUser | null][]) {
      const client = as(who);
      const pulled = await client.status(`/v2/${name}/manifests/v1`);
      const pushed = await client.status(`/v2/${name}/blobs/uploads/`, { method: 'POST' });
      const deleted = await client.status(`/v2/${name}/manifests/none`, { method: 'DELETE' });
      const isMember = !['stranger', 'external', 'nobody'].includes(person);
      const sees = isMember || visibility === 'public' || (visibility === 'internal' && person === 'stranger');
      const refused = who === null ? 401 : sees ? 403 : 404;
      expect([person, pulled, pushed, deleted]).toEqual([
        person,
        rights.pull.includes(person) ? 200 : refused,
        rights.push.includes(person) ? 202 : refused,
        rights.delete.includes(person) ? 404 : refused,
      ]);
    }
  });

  it('are asked again whenever a token is used, and end with what it was given for', async () => {
    const { project, name } = await stage();
    await as(developer).pushImage(name, 'v1');
    const secret = await world.token(developer, ['read_registry', 'write_registry']);
    const answer = await as(secret).token([`repository:${name}:pull,push`]);
    const { token } = (await answer.json()) as { token: string };
    const ask = async (method = 'GET', path = `/v2/${name}/manifests/v1`) =>
      (await fetch(`${world.url}${path}`, { method, headers: { Authorization: `Bearer ${token}` } })).status;
    expect([await ask(), await ask('POST', `/v2/${name}/blobs/uploads/`)]).toEqual([200, 202]);
    const where = { projectId: project.id, userId: developer.id };
    await world.db.member.updateMany({ where, data: { accessLevel: 20 } });
    expect([await ask(), await ask('POST', `/v2/${name}/blobs/uploads/`)]).toEqual([200, 403]);
    await world.db.member.updateMany({ where, data: { accessLevel: 30 } });
    await world.db.project.update({ where: { id: project.id }, data: { archived: true } });
    expect([await ask(), await ask('POST', `/v2/${name}/blobs/uploads/`)]).toEqual([200, 403]);
    await world.db.project.update({
      where: { id: project.id },
      data: { archived: false, containerRegistryEnabled: false },
    });
    expect([await ask(), await ask('POST', `/v2/${name}/blobs/uploads/`)]).toEqual([403, 403]);
    await world.db.project.update({ where: { id: project.id }, data: { containerRegistryEnabled: true } });
    expect(await ask()).toBe(200);
    await world.db.personalAccessToken.updateMany({
      where: { userId: developer.id, scopes: { has: 'read_registry' } },
      data: { revoked: true },
    });
    expect(await ask()).toBe(401);
  });

  it('are no more than the scopes of an access token, and of the token that was asked for', async () => {
    const { name } = await stage();
    await as(developer).pushImage(name, 'v1');
    const can = async (...scopes: string[]) => {
      const client = as(await world.token(developer, scopes));
      const pulled = await client.status(`/v2/${name}/manifests/v1`);
      return [pulled, await client.status(`/v2/${name}/blobs/uploads/`, { method: 'POST' })];
    };
    expect(await can('api')).toEqual([200, 202]);
    expect(await can('read_registry')).toEqual([200, 403]);
    expect(await can('write_registry')).toEqual([403, 202]);
    expect(await can('read_api')).toEqual([200, 403]);
    expect(await can('read_user', 'read_repository', 'write_repository')).toEqual([403, 403]);
    const { token } = (await (await as(developer).token([`repository:${name}:pull`])).json()) as { token: string };
    const headers = { Authorization: `Bearer ${token}` };
    const refused = await fetch(`${world.url}/v2/${name}/blobs/uploads/`, { method: 'POST', headers });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="${world.url}/jwt/auth",service="container_registry",scope="repository:${name}:pull,push"`,
    ]);
    // Its scopes reach nothing else.
    const readsOnly = await world.token(developer, ['read_registry', 'write_registry']);
    const api = await fetch(`${world.url}/api/v4/projects`, { headers: { 'PRIVATE-TOKEN': readsOnly } });
    expect(api.status).toBe(403);
  });

  it('are given for passwords, but neither for wrong ones nor for tokens of OAuth or of other audiences', async () => {
    const { name } = await stage();
    await as(developer).pushImage(name, 'v1');
    const withPassword = (password: string) => {
      const basic = Buffer.from(`${developer.username}:${password}`).toString('base64');
      const query = `service=container_registry&scope=repository:${name}:pull`;
      return fetch(`${world.url}/jwt/auth?${query}`, { headers: { Authorization: `Basic ${basic}` } });
    };
    expect((await withPassword(PASSWORD)).status).toBe(200);
    expect(await errorOf(await withPassword('wrong password'))).toEqual([401, 'UNAUTHORIZED']);
    const byPassword = { grant_type: 'password', username: developer.username, password: PASSWORD };
    const oauth = await post(world, '/oauth/token', byPassword);
    expect((await fetch(`${world.url}/v2/`, bearer(oauth.body.access_token))).status).toBe(401);
    expect(await as(oauth.body.access_token).status(`/v2/${name}/manifests/v1`)).toBe(401);
    expect(await as('gpat-nonsense').status(`/v2/${name}/manifests/v1`)).toBe(401);
    expect((await fetch(`${world.url}/jwt/auth?service=other`)).status).toBe(400);
    const many = Array.from({ length: 21 }, (_, at) => `repository:a/b${at}:pull`);
    expect((await as(developer).token(many)).status).toBe(400);
    expect((await fetch(`${world.url}/jwt/auth`, { method: 'POST' })).status).toBe(405);
  });

  it('are of their own type: what jobs prove themselves with to others opens nothing here', async () => {
    const { signing } = await currentKeys(world.db, world.as(developer).secret);
    const { access_token: token } = (await (await as(developer).token([])).json()) as { access_token: string };
    const content = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const [key] = signing;
    if (!key) throw new Error('There is no key');
    const root = `${world.url}/v2/`;
    expect((await fetch(root, bearer(signJwt(key, content, 'registry+jwt')))).status).toBe(200);
    // The claims of a job with the audience of the registry; and those of the registry themselves, in a token of another type.
    const { access: _, proof: __, ...others } = content;
    for (const claims of [others, content]) {
      expect(await errorOf(await fetch(root, bearer(signJwt(key, claims))))).toEqual([401, 'UNAUTHORIZED']);
    }
  });

  it('of a job are those of who started it, in its own project while it runs', async () => {
    const [{ project, name }, other] = [await stage(), await stage()];
    const open = await stage('public');
    await as(developer).pushImage(other.name, 'v1');
    await as(developer).pushImage(open.name, 'v1');
    const job = await takenJob(world, developer, project);
    const client = as(job.token);
    expect(await client.pushImage(name, 'v1')).toBe(201);
    expect(await client.status(`/v2/${name}/manifests/v1`)).toBe(200);
    expect(await client.status(`/v2/${other.name}/manifests/v1`)).toBe(403);
    expect(await client.status(`/v2/${open.name}/manifests/v1`)).toBe(200);
    expect(await client.status(`/v2/${open.name}/blobs/uploads/`, { method: 'POST' })).toBe(403);
    await endJob(world, job.id);
    expect(await client.status(`/v2/${name}/manifests/v1`)).toBe(401);
  });
});

describe('Cleaning up the container registry', () => {
  /** Has everything of a project be as old as two days. */
  async function age(project: { id: number }) {
    const { db } = world;
    const old = new Date(Date.now() - 2 * 86_400_000);
    const repository = { projectId: project.id };
    await db.containerManifest.updateMany({ where: { repository }, data: { touchedAt: old } });
    await db.containerBlobOfRepository.updateMany({ where: { repository }, data: { createdAt: old } });
    await db.containerUpload.updateMany({ where: { repository }, data: { touchedAt: old } });
    await db.containerBlob.updateMany({ where: { repositories: { some: { repository } } }, data: { createdAt: old } });
  }

  it('removes the blobs of deleted projects, and none that others have', async () => {
    const [gone, kept] = [await stage(), await stage()];
    const [shared, image] = [blobOf(), imageOf()];
    await as(master).pushImage(gone.name, 'v1', image);
    for (const { name } of [gone, kept]) await as(master).pushBlob(name, shared);
    await age(gone.project);
    const before = await storedFiles();
    expect((await world.api(owner).delete(`/projects/${gone.project.id}`)).status).toBe(202);
    await world.idle();
    expect(await world.db.containerRepository.count({ where: { projectId: gone.project.id } })).toBe(0);
    await cleanUpContainers(world.as(owner));
    expect(await storedFiles()).toBe(before - 1 - image.layers.length);
    expect(await as(reporter).status(`/v2/${kept.name}/blobs/${shared.digest}`)).toBe(200);
  });

  it('removes what no tag needs a day later, and nothing that one does', async () => {
    const { project, name } = await stage();
    const client = as(master);
    const shared = blobOf();
    const [kept, gone, young] = [imageOf({ layers: [shared] }), imageOf({ layers: [shared, blobOf()] }), imageOf()];
    const [listed, loose] = [imageOf(), imageOf()];
    const subject = { mediaType: MANIFEST, digest: kept.digest, size: kept.size };
    const signature = imageOf({ subject });
    await client.pushImage(name, 'v1', gone);
    await client.pushImage(name, 'v1', kept);
    await client.pushImage(name, signature.digest, signature);
    for (const one of [listed, loose]) {
      await client.pushImage(name, one.digest, one);
      const index = {
        schemaVersion: 2,
        mediaType: INDEX,
        manifests: [{ mediaType: MANIFEST, digest: one.digest, size: one.size }],
      };
      await client.putManifest(name, one === listed ? 'all' : sha256(JSON.stringify(index)), index, INDEX);
    }
    const at = await begun(client, name);
    await client.send(at, { method: 'PATCH', body: 'half' });
    await age(project);
    await client.pushImage(name, young.digest, young);
    const before = await storedFiles();
    await cleanUpContainers(world.as(owner));
    const found = async (digest: string) => (await client.status(`/v2/${name}/manifests/${digest}`)) === 200;
    const manifests = { kept, signature, listed, young, gone, loose };
    const there = await Promise.all(
      Object.entries(manifests).map(async ([key, { digest }]) => [key, await found(digest)]),
    );
    expect(Object.fromEntries(there)).toEqual({
      kept: true,
      signature: true,
      listed: true,
      young: true,
      gone: false,
      loose: false,
    });
    expect(await client.status(`/v2/${name}/blobs/${shared.digest}`)).toBe(200);
    expect(await client.status(`/v2/${name}/blobs/${gone.layers[1]?.digest}`)).toBe(404);
    expect(await client.status(at)).toBe(404);
    // Configuration and own layer of `gone`, configuration and layer of `loose`, and the part.
    expect(await storedFiles()).toBe(before - 5);
    const blobs = await world.db.containerBlob.findMany({
      where: { repositories: { some: { repository: { projectId: project.id } } } },
    });
    const contents = await world.db.containerManifest.findMany({ where: { repository: { projectId: project.id } } });
    const bytes = [...blobs, ...contents].reduce((sum, { size }) => sum + Number(size), 0);
    expect(await sizeOf(project)).toBe(bytes);
  });
});
