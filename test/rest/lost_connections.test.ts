import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { packagesStore } from '#src/domain/packages/place.ts';
import { lfsStore } from '#src/domain/uploads/lfs/place.ts';
import type { UploadStore } from '#src/domain/uploads/store.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { exported, imported } from '../support/project_archives.ts';
import { sendForm } from '../support/upload.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();

/** Ends the connection of whoever next writes rows of a table, as their transaction ends; of the first transaction alone. */
async function endConnection(table: string, condition: string, change = 'INSERT'): Promise<void> {
  const name = world.unique('end').replaceAll('-', '_');
  await world.db.$executeRawUnsafe(`CREATE SEQUENCE ${name}`);
  await world.db.$executeRawUnsafe(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('${name}') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NULL; END $$`);
  await world.db.$executeRawUnsafe(`CREATE CONSTRAINT TRIGGER ${name} AFTER ${change} ON ${table} DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION ${name}()`);
}

async function countIn(store: UploadStore): Promise<number> {
  let count = 0;
  for await (const _file of store.list()) count += 1;
  return count;
}

it('A file stays where nobody knows whether it was recorded, and goes where it was not', LONG, async () => {
  const project = await world.project({ owner });
  const files = async () => {
    const found: string[] = [];
    for await (const { projectId, secret } of world.uploads.list()) if (projectId === project.id) found.push(secret);
    return found;
  };
  const upload = () => {
    const form = new FormData();
    form.append('file', new File(['text'], 'notes.txt'));
    return sendForm(world, `/api/v4/projects/${project.id}/uploads`, form, owner);
  };
  await endConnection('uploads', `NEW.project_id = ${project.id}`);
  expect((await upload()).status).toBe(503);
  expect(await files()).toHaveLength(1);
  expect((await upload()).status).toBe(201);
  expect(await files()).toHaveLength(2);
});

it('An import whose connection to the database is lost begins again, and brings everything once', LONG, async () => {
  const project = await world.project({ owner });
  for (const title of ['One', 'Two']) await world.issue(project, owner, { title });
  const archive = await exported(world, world.api(owner), owner, project);
  await endConnection('issues', `NEW.title = 'Two' AND NEW.project_id <> ${project.id}`);
  const record = await imported(world, owner, { archive, path: world.unique('again') });
  expect([record.import_status, record.import_error]).toEqual(['finished', null]);
  const { body } = await world.api(owner).get(`/projects/${record.id}/issues`);
  expect(body.map(({ title }: { title: string }) => title)).toEqual(['Two', 'One']);
  const { attempts } = await world.db.projectArchiveImport.findUniqueOrThrow({ where: { projectId: record.id } });
  expect(attempts).toBe(2);
});

it('An export whose connection to the database is lost is made again', LONG, async () => {
  const project = await world.project({ owner });
  await endConnection('project_exports', `NEW.project_id = ${project.id} AND NEW.state = 'finished'`, 'UPDATE');
  expect((await exported(world, world.api(owner), owner, project)).length).toBeGreaterThan(0);
  const { attempts } = await world.db.projectExport.findFirstOrThrow({ where: { projectId: project.id } });
  expect(attempts).toBe(2);
});

it('An object of Git LFS whose record may be there is not lost when it is sent again', LONG, async () => {
  const project = await world.project({ owner });
  const content = Buffer.from(world.unique('large'));
  const oid = createHash('sha256').update(content).digest('hex');
  const json = 'application/vnd.git-lfs+json';
  const Authorization = `Basic ${Buffer.from(`${owner.username}:${owner.token}`).toString('base64')}`;
  const action = async (operation: 'upload' | 'download') => {
    const response = await fetch(`${world.url}/${project.fullPath}.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: { Authorization, Accept: json, 'Content-Type': json },
      body: JSON.stringify({ operation, transfers: ['basic'], objects: [{ oid, size: content.length }] }),
    });
    return ((await response.json()) as Json).objects[0].actions[operation];
  };
  const send = async () => {
    const { href, header } = await action('upload');
    return (await fetch(href, { method: 'PUT', headers: { Authorization, ...header }, body: content })).status;
  };
  await endConnection('lfs_objects', `NEW.oid = '${oid}'`);
  const before = await countIn(lfsStore(world));
  expect(await send()).toBe(503);
  expect(await countIn(lfsStore(world))).toBe(before + 1);
  expect(await send()).toBe(200);
  const { href, header } = await action('download');
  expect(await (await fetch(href, { headers: { Authorization, ...header } })).text()).toBe(content.toString());
});

it('A package whose record may be there keeps its file', LONG, async () => {
  const project = await world.project({ owner });
  await endConnection('package_files', `NEW.file_name = 'lost.txt'`);
  const publish = () =>
    fetch(`${world.url}/api/v4/projects/${project.id}/packages/generic/tool/1.0/lost.txt`, {
      method: 'PUT',
      headers: { 'PRIVATE-TOKEN': owner.token },
      body: 'content',
    });
  const stored = () => countIn(packagesStore(world));
  expect((await publish()).status).toBe(503);
  expect(await stored()).toBe(1);
  expect((await publish()).status).toBe(201);
  expect(await stored()).toBe(2);
});
