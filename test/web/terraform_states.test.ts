import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { basic, registryWorld } from '../support/registry.ts';
import { endJob, takenJob } from '../support/running_job.ts';

const { world, owner, master, developer, reporter, made, send } = await registryWorld();

const state = (serial: number, secret = 'hunter2') =>
  JSON.stringify({ version: 4, serial, lineage: 'a', outputs: { secret } });
const lockOf = (id: string) => ({ ID: id, Operation: 'OperationTypeApply', Who: 'ann@host', Path: '' });

async function stage() {
  const project = await made();
  const at = `/projects/${project.id}/terraform/state/production`;
  const json = { 'Content-Type': 'application/json' };
  const act = (method: string, path: string, body?: string, who = master) =>
    send(who, method, `${at}${path}`, { headers: json, ...(body !== undefined && { body }) });
  return { project, at, act };
}

describe('States of Terraform', () => {
  it('are written in versions, which stay to be read', async () => {
    const { act, project } = await stage();
    expect((await act('GET', '')).status).toBe(404);
    for (const serial of [1, 2]) expect((await act('POST', '', state(serial))).status).toBe(200);
    const read = await act('GET', '', undefined, developer);
    expect([read.status, await read.text()]).toEqual([200, state(2)]);
    expect(await (await act('GET', '/versions/1')).text()).toBe(state(1));
    expect((await act('GET', '/versions/3')).status).toBe(404);
    expect((await act('DELETE', '/versions/2')).status).toBe(200);
    expect(await (await act('GET', '')).text()).toBe(state(1));
    // What they hold is secret: the database has it encrypted.
    const versions = await world.db.terraformStateVersion.findMany({ where: { state: { projectId: project.id } } });
    expect(versions.map(({ content }) => Buffer.from(content).includes('hunter2'))).toEqual([false]);
    expect((await act('DELETE', '')).status).toBe(200);
    expect((await act('GET', '')).status).toBe(404);
  });

  it('are written by whoever holds the lock, and by nobody else', LONG, async () => {
    const { act } = await stage();
    const answers = await Promise.all(['one', 'two'].map((id) => act('POST', '/lock', JSON.stringify(lockOf(id)))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const held = answers[0]?.status === 200 ? 'one' : 'two';
    const refused = answers.find(({ status }) => status === 409);
    expect(await refused?.json()).toEqual(lockOf(held));
    expect((await act('GET', '')).status).toBe(204);
    expect((await act('POST', '?ID=other', state(1))).status).toBe(409);
    expect((await act('POST', '', state(1))).status).toBe(409);
    expect((await act('POST', `?ID=${held}`, state(1))).status).toBe(200);
    expect((await act('DELETE', '')).status).toBe(409);
    expect((await act('DELETE', '/lock', JSON.stringify(lockOf('other')))).status).toBe(409);
    expect((await act('DELETE', '/lock', JSON.stringify(lockOf(held)))).status).toBe(200);
    expect((await act('POST', '', state(2))).status).toBe(200);
    await act('POST', '/lock', JSON.stringify(lockOf('three')));
    // `terraform force-unlock`
    expect((await act('DELETE', '/lock')).status).toBe(200);
  });

  it('are read by developers, written by maintainers and their jobs, and must be states', LONG, async () => {
    const { act, project, at } = await stage();
    expect((await act('POST', '', state(1), developer)).status).toBe(403);
    expect((await act('POST', '/lock', JSON.stringify(lockOf('a')), developer)).status).toBe(403);
    const job = await takenJob(world, owner, project);
    const byJob = { headers: basic('gitlab-ci-token', job.token), body: state(1) };
    expect((await send(null, 'POST', at, byJob)).status).toBe(200);
    await endJob(world, job.id);
    expect((await act('GET', '', undefined, reporter)).status).toBe(403);
    expect((await send(null, 'GET', at)).status).toBe(401);
    for (const body of ['', 'text', '{}', '{"serial": "1"}', '{"serial": -1}'])
      expect((await act('POST', '', body)).status).toBe(400);
    const wrong = { headers: { 'Content-MD5': createHash('md5').update('x').digest('base64') }, body: state(2) };
    expect((await send(master, 'POST', at, wrong)).status).toBe(400);
    expect((await act('POST', '/lock', '{}')).status).toBe(400);
    expect((await send(master, 'POST', `${at.replace('production', '%2e%2e')}`, { body: state(1) })).status).not.toBe(
      200,
    );
    expect(await (await act('GET', '')).text()).toBe(state(1));
  });
});
