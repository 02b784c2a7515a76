// One protocol of several in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { registryWorld, tarOf } from '../support/registry.ts';

const { world, owner, developer, reporter, stranger, made, send } = await registryWorld();

describe('The registry of Terraform modules', () => {
  it('is found by programs, and gives them versions and archives below the name of a group', async () => {
    const group = await world.group({ owner, visibility: 'private' });
    const inner = await world.group({ owner, parentId: group.id, visibility: 'private' });
    const project = await made({ namespaceId: inner.id });
    const module = await tarOf({ 'main.tf': 'output "a" { value = 1 }' });
    const put = (version: string, who = developer) =>
      send(who, 'PUT', `/projects/${project.id}/packages/terraform/modules/vpc/aws/${version}/file`, {
        body: new Uint8Array(module),
      });
    for (const version of ['1.9.0', '1.10.0', '2.0.0-rc.1']) expect((await put(version)).status).toBe(201);
    expect((await put('1.9.0')).status).toBe(403);
    expect((await put('one')).status).toBe(400);
    expect((await put('3.0.0', reporter)).status).toBe(403);
    const services = (await (await fetch(`${world.url}/.well-known/terraform.json`)).json()) as Json;
    const registry = `${world.url}${services['modules.v1']}${group.fullPath}/vpc/aws`;
    const bearer = { headers: { Authorization: `Bearer ${reporter.token}` } };
    const get = (url: string, sent = bearer) => send(null, 'GET', url, sent);
    const { modules } = (await (await get(`${registry}/versions`)).json()) as Json;
    expect(modules[0].versions.map((one: Json) => one.version)).toEqual(['2.0.0-rc.1', '1.10.0', '1.9.0']);
    const newest = await get(`${registry}/download`);
    expect([newest.status, newest.headers.get('location')]).toEqual([302, `${registry}/1.10.0/download`]);
    const download = await get(`${registry}/1.9.0/download`);
    const where = download.headers.get('x-terraform-get') ?? '';
    expect([download.status, where]).toEqual([204, expect.stringContaining('archive=tgz')]);
    // Terraform sends no token there.
    const archive = await fetch(where);
    expect(Buffer.from(await archive.arrayBuffer()).equals(module)).toBe(true);
    expect((await fetch(where.replace(/token=\d+/, 'token=9999999'))).status).toBe(401);
    expect(await (await get(registry)).json()).toMatchObject({ name: 'vpc/aws', provider: 'aws', version: '1.10.0' });
    expect((await get(`${registry}/1.9.1/download`)).status).toBe(404);
    expect((await send(stranger, 'GET', `${registry}/versions`)).status).toBe(404);
    expect((await fetch(`${registry}/versions`)).status).toBe(401);
    const own = await send(
      reporter,
      'GET',
      `/projects/${project.id}/packages/terraform/modules/vpc/aws/1.9.0?archive=tgz`,
    );
    expect(Buffer.from(await own.arrayBuffer()).equals(module)).toBe(true);
  });
});
