// One protocol of several in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { digest, formWith, registryWorld, tarOf } from '../support/registry.ts';

const { world, developer, reporter, made, send } = await registryWorld();

const chart = (name: string, version: string, more = '') =>
  tarOf({
    [`${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: ${version}\ndescription: "Does: it"\n${more}`,
    [`${name}/values.yaml`]: 'a: 1\n',
  });

const push = (project: { id: number }, channel: string, content: Buffer, name = 'x.tgz') =>
  send(developer, 'POST', `/projects/${project.id}/packages/helm/api/${channel}/charts`, {
    body: formWith({}, 'chart', new File([new Uint8Array(content)], name)),
  });

describe('The Helm repository', () => {
  it('lists the charts of a channel with what they say of themselves, and gives them back', async () => {
    const project = await made();
    const at = `/projects/${project.id}/packages/helm`;
    const packed = await chart('web', '1.2.0', 'appVersion: "3.0"\n');
    expect((await push(project, 'stable', packed)).status).toBe(201);
    expect((await push(project, 'stable', await chart('web', '1.1.0'))).status).toBe(201);
    expect((await push(project, 'devel', await chart('db', '0.1.0-rc.1'))).status).toBe(201);
    const index = await send(reporter, 'GET', `${at}/stable/index.yaml`);
    expect(index.status).toBe(200);
    const { apiVersion, entries } = (await index.json()) as { apiVersion: string; entries: Record<string, object[]> };
    expect([apiVersion, Object.keys(entries)]).toEqual(['v1', ['web']]);
    expect(entries.web).toMatchObject([
      { version: '1.1.0' },
      {
        ...{ apiVersion: 'v2', name: 'web', version: '1.2.0', appVersion: '3.0', description: 'Does: it' },
        ...{ digest: digest('sha256', packed), urls: ['charts/web-1.2.0.tgz'] },
      },
    ]);
    const file = await send(reporter, 'GET', `${at}/stable/charts/web-1.2.0.tgz`);
    expect(Buffer.from(await file.arrayBuffer()).equals(packed)).toBe(true);
    expect((await send(reporter, 'GET', `${at}/devel/charts/web-1.2.0.tgz`)).status).toBe(404);
    const etag = index.headers.get('etag') ?? '';
    const again = await send(reporter, 'GET', `${at}/stable/index.yaml`, { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
  });

  it('has one chart in several channels', async () => {
    const project = await made();
    const packed = await chart('web', '1.0.0');
    for (const channel of ['stable', 'devel']) await push(project, channel, packed);
    for (const channel of ['stable', 'devel']) {
      const at = `/projects/${project.id}/packages/helm/${channel}`;
      expect((await send(reporter, 'GET', `${at}/charts/web-1.0.0.tgz`)).status).toBe(200);
      expect(
        Object.keys(((await (await send(reporter, 'GET', `${at}/index.yaml`)).json()) as { entries: object }).entries),
      ).toEqual(['web']);
    }
  });

  it('refuses what is no chart, and keeps nothing of it', async () => {
    const project = await made();
    const wrong = [
      Buffer.from('no archive'),
      await tarOf({ 'web/values.yaml': 'a: 1' }),
      await tarOf({ 'web/Chart.yaml': 'name: web' }),
      await tarOf({ 'web/Chart.yaml': '[' }),
      await chart('../up', '1.0.0'),
      await chart('web', 'one'),
      await tarOf({ 'web/Chart.yaml': `name: web\nversion: 1.0.0\ntext: ${'x'.repeat(200_000)}` }),
    ];
    for (const content of wrong) expect((await push(project, 'stable', content)).status).toBe(400);
    expect(await world.db.package.count({ where: { projectId: project.id } })).toBe(0);
    const none = await send(developer, 'POST', `/projects/${project.id}/packages/helm/api/stable/charts`, {
      body: new FormData(),
    });
    expect(none.status).toBe(400);
  });
});
