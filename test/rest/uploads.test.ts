import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { graphqlForm, sendForm } from '../support/upload.ts';
import { startWorld, type TestUser } from '../support/world.ts';

// What other tests have there at the same time is not counted.
const { TMPDIR } = process.env;
process.env.TMPDIR = scratch('file');
afterAll(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});
const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const outsider = await world.user();
const admin = await world.user({ admin: true });
let project: ProjectRow;

beforeAll(async () => {
  project = await world.project({ owner });
  await world.member(project, guest, 'guest');
});

interface Sent {
  name?: string;
  content?: string | Uint8Array<ArrayBuffer>;
  field?: string;
}

function upload(who: TestUser | undefined, { name = 'notes.txt', content = 'text', field = 'file' }: Sent = {}) {
  const form = new FormData();
  form.append(field, new File([content], name));
  return sendForm(world, `/api/v4/projects/${project.id}/uploads`, form, who);
}

const download = (url: string | undefined, who?: TestUser) =>
  fetch(`${world.url}/${project.fullPath}${url}`, { headers: who ? { 'PRIVATE-TOKEN': who.token } : {} });

const spooled = () => readdirSync(tmpdir()).filter((name) => name.startsWith('gantry-file-')).length;

describe('POST /projects/:id/uploads', () => {
  it('keeps a file and tells how to refer to it', async () => {
    const { status, body } = await upload(guest, { name: 'Über Notes (1).txt', content: 'some text' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      alt: '_ber_Notes__1_.txt',
      url: expect.stringMatching(/^\/uploads\/[0-9a-f]{32}\/_ber_Notes__1_\.txt$/),
      full_path: `/-/project/${project.id}${body.url}`,
      markdown: `[${body.alt}](${body.url})`,
    });
    const lasting = (who?: TestUser) =>
      fetch(`${world.url}${body.full_path}`, { headers: who ? { 'PRIVATE-TOKEN': who.token } : {} });
    expect(await (await lasting(guest)).text()).toBe('some text');
    expect((await lasting()).status).toBe(404);
    const response = await download(body.url, guest);
    expect(await response.text()).toBe('some text');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="_ber_Notes__1_.txt"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
    });
  });

  it('counts among the sizes of the project until it is deleted', async () => {
    const api = world.api(owner);
    const { id } = await world.project({ owner });
    const size = async () => {
      const { statistics } = (await api.get(`/projects/${id}?statistics=true`)).body;
      return [statistics.uploads_size, statistics.storage_size - statistics.repository_size];
    };
    const sent = async (content: string) => {
      const form = new FormData();
      form.append('file', new File([content], 'a.txt'));
      return (await sendForm(world, `/api/v4/projects/${id}/uploads`, form, owner)).body.id;
    };
    const first = await sent('some text');
    await sent('more');
    expect(await size()).toEqual([13, 13]);
    expect((await api.delete(`/projects/${id}/uploads/${first}`)).status).toBe(204);
    expect(await size()).toEqual([4, 4]);
  });

  it('calls a picture by its name without the ending, and shows it', async () => {
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 255]);
    const { body } = await upload(owner, { name: 'dk.png', content: bytes });
    expect(body).toMatchObject({ alt: 'dk', markdown: `![dk](${body.url})` });
    const response = await download(body.url, owner);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  });

  it('gives the part of a file that is asked for, and nothing to who has it already', async () => {
    const { body } = await upload(owner, { content: '0123456789' });
    const ask = async (headers: Record<string, string>, method = 'GET') => {
      const at = `${world.url}/${project.fullPath}${body.url}`;
      const answer = await fetch(at, { method, headers: { ...headers, 'PRIVATE-TOKEN': owner.token } });
      return [answer.status, answer.headers.get('content-range'), await answer.text()];
    };
    expect(await ask({ Range: 'bytes=2-4' })).toEqual([206, 'bytes 2-4/10', '234']);
    expect(await ask({ Range: 'bytes=-3' })).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await ask({ Range: 'bytes=10-' })).toEqual([416, 'bytes */10', '']);
    expect(await ask({ Range: 'bytes=0-1,5-6' })).toEqual([200, null, '0123456789']);
    expect(await ask({ Range: 'lines=1-2' })).toEqual([200, null, '0123456789']);
    expect(await ask({ Range: 'bytes=2-4', 'If-Range': '"another"' })).toEqual([200, null, '0123456789']);
    expect(await ask({ Range: 'bytes=2-4' }, 'HEAD')).toEqual([206, 'bytes 2-4/10', '']);
    const whole = await download(body.url, owner);
    expect(whole.headers.get('content-length')).toBe('10');
    const etag = whole.headers.get('etag') ?? '';
    expect(await ask({ 'If-None-Match': etag, 'Cache-Control': 'max-age=0' })).toEqual([304, null, '']);
    expect(await ask({ Range: 'bytes=2-4', 'If-Range': etag })).toEqual([206, 'bytes 2-4/10', '234']);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\x\\a.html', 'a.html'],
    ['..', 'file'],
    ['con.txt', '_con.txt'],
    ['a.', 'a'],
    ['a/b/"c".svg', '_22c_22.svg'],
    [`${'x'.repeat(400)}.txt`, `${'x'.repeat(200)}.txt`],
  ])('makes a harmless name of %j', async (name, kept) => {
    const { status, body } = await upload(owner, { name });
    expect([status, body.url?.split('/').at(-1)]).toEqual([201, kept]);
    const response = await download(body.url, owner);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  });

  it('refuses what is larger than max_attachment_size, and leaves nothing behind', LONG, async () => {
    await world.api(admin).put('/application/settings', { max_attachment_size: 1 });
    const before = await world.db.upload.count();
    const large = await upload(owner, { content: new Uint8Array(1024 * 1024 + 1) });
    expect(large.status).toBe(413);
    expect(await world.db.upload.count()).toBe(before);
    expect((await upload(owner, { content: new Uint8Array(1024 * 1024) })).status).toBe(201);
    await world.api(admin).put('/application/settings', { max_attachment_size: 10 });
    await world.until(async () => spooled() === 0);
  });

  it('is for who may comment', async () => {
    expect((await upload(undefined)).status).toBe(401);
    expect((await upload(outsider)).status).toBe(404);
    expect((await upload(guest)).status).toBe(201);
    await world.until(async () => spooled() === 0);
  });

  it('needs the file', async () => {
    expect(await upload(owner, { field: 'other' })).toEqual({ status: 400, body: { error: 'file is missing' } });
    const answer = await world.api(owner).post(`/projects/${project.id}/uploads`, { file: 'text' });
    expect([answer.status, answer.body]).toEqual([400, { error: 'file is invalid' }]);
    expect((await upload(owner, { content: '' })).status).toBe(201);
  });
});

describe('An uploaded file', () => {
  it.each<[string, string, boolean]>([
    ['the file', 'name="file"; filename="a"', true],
    ['another file', 'name="other"; filename="a"', true],
    ['the file, before anybody signed in', 'name="file"; filename="a"', false],
    ['another file, before anybody signed in', 'name="other"; filename="a"', false],
  ])('refuses a body that ends in the middle of %s, and goes on', async (_what, part, signedIn) => {
    for (const path of [`/api/v4/projects/${project.id}/uploads`, '/api/v4/session', '/graphql']) {
      for (const content of ['', 'some', 'x'.repeat(200_000)]) {
        const headers: Record<string, string> = { 'Content-Type': 'multipart/form-data; boundary=B' };
        if (signedIn) headers['PRIVATE-TOKEN'] = owner.token;
        const body = `--B\r\nContent-Disposition: form-data; ${part}\r\n\r\n${content}`;
        const { status } = await fetch(world.url + path, { method: 'POST', headers, body });
        expect([path, status]).toEqual([path, 400]);
      }
    }
    await world.until(async () => spooled() === 0);
    expect((await upload(owner)).status).toBe(201);
  });

  it('is there for who sees the project alone', async () => {
    const { body } = await upload(owner);
    expect((await download(body.url, guest)).status).toBe(200);
    expect((await download(body.url, outsider)).status).toBe(404);
    expect((await download(body.url)).status).toBe(404);
    expect((await download(body.url?.replace(/[0-9a-f]{32}/, '0'.repeat(32)), owner)).status).toBe(404);
    const other = await world.project({ owner, visibility: 'public' });
    expect((await fetch(`${world.url}/${other.fullPath}${body.url}`)).status).toBe(404);
  });

  it('goes with its project', async () => {
    const own = await world.project({ owner });
    const form = new FormData();
    form.append('file', new File(['text'], 'a.txt'));
    const { url } = (await sendForm(world, `/api/v4/projects/${own.id}/uploads`, form, owner)).body;
    const [, , secret = '', fileName = ''] = url.split('/');
    expect(await world.uploads.has({ projectId: own.id, secret, fileName })).toBe(true);
    await world.api(owner).delete(`/projects/${own.id}`);
    await world.until(async () => !(await world.uploads.has({ projectId: own.id, secret, fileName })));
  });

  it('comes by GraphQL too, under the same rules', LONG, async () => {
    const query = 'mutation ($input: UploadFileInput!) { uploadFile(input: $input) { upload { markdown } } }';
    const send = async (who: TestUser, content: string | Uint8Array<ArrayBuffer>) => {
      const variables = { input: { project: project.id, file: null } };
      const form = graphqlForm(query, variables, 'input.file', new File([content], 'a.txt'));
      return (await sendForm(world, '/graphql', form, who)).body;
    };
    expect((await send(guest, 'text')).data?.uploadFile).toEqual({
      upload: { markdown: expect.stringMatching(/^\[a\.txt\]/) },
    });
    expect((await send(outsider, 'text')).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    await world.api(admin).put('/application/settings', { max_attachment_size: 1 });
    const large = await send(guest, new Uint8Array(1024 * 1024 + 1));
    expect(large.errors?.[0]?.extensions.code).toBe('CONTENT_TOO_LARGE');
    await world.api(admin).put('/application/settings', { max_attachment_size: 10 });
  });
});

describe('Attached files', () => {
  it('are listed for masters, latest first, read and deleted by their numbers', async () => {
    const other = await world.project({ owner });
    const send = async (name: string) => {
      const form = new FormData();
      form.append('file', new File([`in ${name}`], name));
      return (await sendForm(world, `/api/v4/projects/${other.id}/uploads`, form, owner)).body;
    };
    await upload(owner, { name: 'elsewhere.txt' });
    const [first, second] = [await send('a.txt'), await send('b.png')];
    const api = world.api(owner);
    const list = (await api.get(`/projects/${other.id}/uploads`)).body;
    expect(list).toEqual([
      {
        id: second.id,
        size: 8,
        filename: 'b.png',
        created_at: expect.any(String),
        uploaded_by: { id: owner.id, name: expect.any(String), username: owner.username },
      },
      expect.objectContaining({ id: first.id, filename: 'a.txt' }),
    ]);
    const read = (path: string, who?: TestUser) =>
      fetch(`${world.url}/api/v4/projects/${other.id}${path}`, { headers: who ? { 'PRIVATE-TOKEN': who.token } : {} });
    const byNumber = await read(`/uploads/${second.id}`, owner);
    expect([byNumber.headers.get('content-type'), await byNumber.text()]).toEqual(['image/png', 'in b.png']);
    await world.member(other, guest, 'guest');
    expect((await read(`/uploads/${second.id}`, guest)).status).toBe(403);
    expect((await read('/uploads', guest)).status).toBe(403);
    expect(await (await read(first.url, guest)).text()).toBe('in a.txt');
    expect((await read(first.url, outsider)).status).toBe(404);
    expect((await read(first.url.replace('a.txt', 'c.txt'), guest)).status).toBe(404);
    expect((await world.api(guest).delete(`/projects/${other.id}${first.url}`)).status).toBe(403);
    expect((await api.delete(`/projects/${other.id}${first.url}`)).status).toBe(204);
    expect((await read(first.url, guest)).status).toBe(404);
    expect((await api.delete(`/projects/${project.id}/uploads/${second.id}`)).status).toBe(404);
    expect((await api.delete(`/projects/${other.id}/uploads/${second.id}`)).status).toBe(204);
    expect(await api.get(`/projects/${other.id}/uploads`)).toMatchObject({ status: 200, body: [] });
    const place = { projectId: other.id, secret: second.url.split('/')[2], fileName: 'b.png' };
    expect(await world.as(owner).uploads.has(place)).toBe(false);
  });
});
