import { expect } from 'vitest';
import type { Json } from './http.ts';
import { sendForm } from './upload.ts';
import type { TestUser, World } from './world.ts';

const STATE = `query ($group: GroupRef!) { group(ref: $group) { databaseId visibility
  export { status error url } import { status error leftOut { groupPath kind name } } } }`;

/** The state of the export and the import of a group for a user. */
export async function archiveState(world: World, who: TestUser, group: string | number): Promise<Json> {
  const { body } = await world.graphql(STATE, { group }, who);
  return body.data.group;
}

/** Exports a group and waits for the archive; its bytes. */
export async function exportedGroup(world: World, who: TestUser, { id }: { id: number }): Promise<Buffer> {
  expect(await world.api(who).post(`/groups/${id}/export`)).toMatchObject({
    status: 202,
    body: { message: '202 Accepted' },
  });
  await world.until(async () => {
    const { status } = (await archiveState(world, who, id)).export;
    return ['FINISHED', 'FAILED'].includes(status);
  }, 60_000);
  const response = await downloadGroup(world, who, id);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/gzip']);
  return Buffer.from(await response.arrayBuffer());
}

export function downloadGroup(world: World, who: TestUser, id: number): Promise<Response> {
  return fetch(`${world.url}/api/v4/groups/${id}/export/download`, { headers: { 'PRIVATE-TOKEN': who.token } });
}

export interface SentGroup {
  archive: Buffer;
  path: string;
  name?: string;
  /** ID of the parent group. */
  parent?: number;
}

/** Sends an archive of a group to be imported. */
export function sendGroup(world: World, who: TestUser, { archive, path, name = 'Imported', parent }: SentGroup) {
  const form = new FormData();
  form.append('name', name);
  form.append('path', path);
  if (parent !== undefined) form.append('parent_id', String(parent));
  form.append('file', new File([new Uint8Array(archive)], 'group.tar.gz'));
  return sendForm(world, '/api/v4/groups/import', form, who);
}

/** Imports an archive of a group and waits for the end; the state of the import, with the ID of the group. */
export async function importedGroup(world: World, who: TestUser, sent: SentGroup): Promise<Json> {
  expect(await sendGroup(world, who, sent)).toEqual({ status: 202, body: { message: '202 Accepted' } });
  const above =
    sent.parent === undefined ? '' : `${(await world.api(who).get(`/groups/${sent.parent}`)).body.full_path}/`;
  const path = `${above}${sent.path}`;
  await world.until(async () => {
    const { status } = (await archiveState(world, who, path)).import;
    return ['FINISHED', 'FAILED'].includes(status);
  }, 60_000);
  // Of one moment after the end: the group and its import are read one after the other.
  const found = await archiveState(world, who, path);
  return { ...found.import, id: found.databaseId, visibility: found.visibility };
}
