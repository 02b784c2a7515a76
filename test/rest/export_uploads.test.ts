// One part in depth, which the long run has.
// @module-tag long
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportProject } from '#src/domain/project_archives/export.ts';
import { OWN_LAYOUT } from '#src/domain/project_archives/own_layout.ts';
import { receiveLfsObject } from '#src/domain/uploads/lfs/objects.ts';
import { lfsStore } from '#src/domain/uploads/lfs/place.ts';
import { encrypt } from '#src/platform/secrets.ts';
import { download, exported, imported, packed, unpacked } from '../support/project_archives.ts';
import { startReceiver } from '../support/receiver.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld({ limits: { lfsObjectBytes: 1_000 } });
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: [`127.0.0.1:${receiver.port}`] });
const [owner, developer] = [await world.user(), await world.user()];
const api = world.api(owner);

/** The field of GraphQL once the export is over. */
async function outcome(project: { id: number }): Promise<{ status: string; error: string | null }> {
  const query = 'query ($id: ProjectRef!) { project(ref: $id) { export { status error } } }';
  let found = { status: '', error: null };
  await world.until(async () => {
    found = (await world.graphql(query, { id: String(project.id) }, owner)).body.data.project.export;
    return ['FINISHED', 'FAILED'].includes(found.status);
  }, 60_000);
  return found;
}

describe('An archive', () => {
  it('is sent to the address that was given with the export, and can be downloaded as well', async () => {
    const project = await world.project({ owner });
    await world.issue(project, owner);
    const url = receiver.url('/bucket/archive?signature=secret');
    const { status, body } = await api.post(`/projects/${project.id}/export`, { upload: { url } });
    expect([status, body]).toEqual([202, { message: '202 Accepted' }]);
    const told = await receiver.next('/bucket/archive?signature=secret');
    expect(told.headers).toMatchObject({ 'content-type': 'application/gzip' });
    expect(await outcome(project)).toEqual({ status: 'FINISHED', error: null });
    const bytes = Buffer.from(await (await download(world, owner, project.id)).arrayBuffer());
    expect(Number(told.headers['content-length'])).toBe(bytes.length);
    const row = await world.db.projectExport.findFirstOrThrow({ where: { projectId: project.id } });
    expect(row.uploadUrlEncrypted).toBeNull();
  });

  it('is sent by POST where that is wanted, and again after the receiver was busy', async () => {
    const project = await world.project({ owner });
    let calls = 0;
    const methods: (string | undefined)[] = [];
    receiver.answer('/busy', (_told, response, request) => {
      methods.push(request.method);
      calls += 1;
      response.writeHead(calls === 1 ? 503 : 201).end();
    });
    const form = `upload[url]=${encodeURIComponent(receiver.url('/busy'))}&upload[http_method]=POST`;
    const headers = { 'Private-Token': owner.token, 'Content-Type': 'application/x-www-form-urlencoded' };
    const sent = await world.send('POST', `/api/v4/projects/${project.id}/export`, { headers, body: form });
    expect(sent.status).toBe(202);
    expect(await outcome(project)).toEqual({ status: 'FINISHED', error: null });
    expect(methods).toEqual(['POST', 'POST']);
  });

  it('that is refused stays, and its status says why without the secrets of the address', async () => {
    const project = await world.project({ owner });
    receiver.answer('/refused?signature=secret', 403);
    receiver.answer('/moved', (_told, response) => response.writeHead(302, { location: receiver.url('/decoy') }).end());
    for (const [at, code] of [
      ['/refused?signature=secret', 403],
      ['/moved', 302],
    ] as const) {
      await api.post(`/projects/${project.id}/export`, { upload: { url: receiver.url(at) } });
      const { status, error } = await outcome(project);
      const text = `The archive could not be sent to 127.0.0.1:${receiver.port}: it answered with status ${code}.`;
      expect([status, error]).toEqual(['FAILED', text]);
      expect((await api.get(`/projects/${project.id}/export`)).body).toMatchObject({
        export_status: 'failed',
        message: text,
      });
      expect((await download(world, owner, project.id)).status).toBe(200);
    }
    expect(receiver.at('/decoy')).toEqual([]);
    expect(receiver.at('/refused?signature=secret')).toHaveLength(1);
  });

  it('goes to no address of this network, nor anywhere for those who may not export', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    await world.member(project, developer, 'developer');
    const at = `/projects/${project.id}/export`;
    const wrong = [
      'http://127.0.0.1:1/x',
      'http://[::1]/',
      'http://169.254.169.254/latest',
      'ftp://example.org/a',
      'x',
      '',
    ];
    for (const url of wrong) {
      const { status, body } = await api.post(at, { upload: { url } });
      expect([url, status, JSON.stringify(body)]).toEqual([url, 400, expect.stringContaining('url')]);
    }
    for (const upload of [{}, { url: receiver.url('/a'), http_method: 'DELETE' }, 'x', [1]]) {
      expect([upload, (await api.post(at, { upload })).status]).toEqual([upload, 400]);
    }
    const mine = { upload: { url: receiver.url('/stolen') } };
    expect((await world.api(developer).post(at, mine)).status).toBe(403);
    expect((await api.get(at)).body).toMatchObject({ export_status: 'none' });
    expect(receiver.at('/stolen')).toEqual([]);
  });

  it('goes nowhere when its asker lost the right before it was made', async () => {
    const master = await world.user();
    const project = await world.project({ owner, visibility: 'public' });
    await world.member(project, master, 'master');
    await world.api(master).post(`/projects/${project.id}/export`, { upload: { url: receiver.url('/late') } });
    await receiver.next('/late');
    await world.idle();
    const where = { projectId: project.id, userId: master.id };
    await world.db.member.updateMany({ where, data: { accessLevel: 30 } });
    const context = world.as(master);
    const uploadUrlEncrypted = Buffer.from(encrypt(receiver.url('/late'), context.secret));
    await world.db.projectExport.updateMany({ where, data: { state: 'queued', uploadUrlEncrypted } });
    await exportProject(context, project.id, { layouts: { gantry: OWN_LAYOUT, gitlab: OWN_LAYOUT } });
    const row = await world.db.projectExport.findFirstOrThrow({ where });
    expect([row.state, row.error, row.uploadUrlEncrypted]).toEqual([
      'failed',
      expect.stringContaining('no longer'),
      null,
    ]);
    expect(receiver.at('/late')).toHaveLength(1);
  });
});

describe('Objects of Git LFS', () => {
  const put = async (project: { id: number }, text: string) => {
    const bytes = Buffer.from(text);
    const oid = createHash('sha256').update(bytes).digest('hex');
    await receiveLfsObject(
      world.as(owner),
      project,
      { oid, size: bytes.length },
      (async function* () {
        yield bytes;
      })(),
    );
    return oid;
  };
  const objectsOf = async (projectId: number) =>
    (await world.db.lfsObjectOfProject.findMany({ where: { projectId }, include: { lfsObject: true } })).map(
      ({ lfsObject }) => lfsObject.oid,
    );

  it('are in the archive of their project, and in the project that is made of it', async () => {
    const [project, decoy] = [await world.project({ owner }), await world.project({ owner })];
    const oid = await put(project, 'large');
    const other = await put(decoy, 'of another project');
    const archive = await exported(world, api, owner, project);
    const directory = unpacked(archive);
    expect(readFileSync(path.join(directory, 'lfs', oid), 'utf8')).toBe('large');
    expect(existsSync(path.join(directory, 'lfs', other))).toBe(false);
    const record = await imported(world, owner, { archive, path: world.unique('copy') });
    expect(record).toMatchObject({ import_status: 'finished', import_error: null });
    expect(await objectsOf(record.id)).toEqual([oid]);
    const counters = await world.db.projectCounters.findUniqueOrThrow({ where: { projectId: record.id } });
    expect(Number(counters.lfsObjectsSize)).toBe(5);
  });

  it('that are not what they are called, or too large, are refused with the archive, and leave nothing', async () => {
    const project = await world.project({ owner });
    await put(project, 'honest');
    const directory = unpacked(await exported(world, api, owner, project));
    const before = await world.db.lfsObject.count();
    mkdirSync(path.join(directory, 'lfs'), { recursive: true });
    const fake = 'f'.repeat(64);
    const large = Buffer.alloc(1_001);
    for (const [name, content, says] of [
      [fake, 'not it', /another hash/],
      [createHash('sha256').update(large).digest('hex'), large, /1000 bytes/],
      ['../escape', 'x', /does not belong there/],
    ] as const) {
      const place = name.startsWith('..') ? path.join(directory, 'lfs', 'short') : path.join(directory, 'lfs', name);
      writeFileSync(place, content);
      const record = await imported(world, owner, { archive: packed(directory), path: world.unique('bad') });
      expect(record).toMatchObject({ import_status: 'failed', import_error: expect.stringMatching(says) });
      expect(await objectsOf(record.id)).toEqual([]);
      rmSync(place);
    }
    expect(await world.db.lfsObject.count()).toBe(before);
    const stored: unknown[] = [];
    for await (const file of lfsStore(world).list()) if (file.fileName === fake) stored.push(file);
    expect(stored).toEqual([]);
  });
});
