// One part in depth, which the long run has.
// @module-tag long
import { Gitlab } from '@gitbeaker/rest';
import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { startReceiver } from '../support/receiver.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });
const admin = await world.user({ admin: true });

describe('A client that was written for /api/v4', () => {
  it('makes, changes, tests and removes webhooks of a project', LONG, async () => {
    const client = new Gitlab({ host: world.url, token: admin.token });
    const project = await client.Projects.create({ name: 'Watched' });
    const url = receiver.url('/project');
    const hook = await client.ProjectHooks.add(project.id, url, { issuesEvents: true, pushEvents: false, token: 'x' });
    expect(hook).toMatchObject({ url, issues_events: true, push_events: false, project_id: project.id });
    expect(await client.ProjectHooks.all(project.id)).toMatchObject([{ id: hook.id }]);
    expect(await client.ProjectHooks.show(project.id, hook.id)).toMatchObject({ id: hook.id });
    await client.Issues.create(project.id, 'Heard');
    const told = await receiver.next('/project');
    expect([told.headers['x-gitlab-token'], told.body.object_attributes.title]).toEqual(['x', 'Heard']);
    const edited = await client.ProjectHooks.edit(project.id, hook.id, receiver.url('/other'), { noteEvents: true });
    expect(edited).toMatchObject({ url: receiver.url('/other'), note_events: true, issues_events: true });
    await client.ProjectHooks.remove(project.id, hook.id);
    expect(await client.ProjectHooks.all(project.id)).toEqual([]);
  });

  it('sets integrations up, changes and removes them', async () => {
    const client = new Gitlab({ host: world.url, token: admin.token });
    const project = await client.Projects.create({ name: 'Connected' });
    const webhook = receiver.url('/chat');
    await client.Integrations.edit(project.id, 'slack', { webhook, pushEvents: false } as never);
    expect(await client.Integrations.all(project.id)).toMatchObject([{ slug: 'slack', active: true }]);
    const shown = await client.Integrations.show(project.id, 'slack');
    expect(shown).toMatchObject({
      slug: 'slack',
      push_events: false,
      properties: { branches_to_be_notified: 'default' },
    });
    await client.Issues.create(project.id, 'Announced');
    expect((await receiver.next('/chat')).body.text).toContain('Announced');
    await client.Integrations.disable(project.id, 'slack');
    expect(await client.Integrations.all(project.id)).toEqual([]);
  });

  it('makes, tests and removes webhooks of the server', async () => {
    const client = new Gitlab({ host: world.url, token: admin.token });
    const hook = await client.SystemHooks.create(receiver.url('/system'), { token: 'y', pushEvents: false });
    expect(await client.SystemHooks.all()).toMatchObject([{ id: hook.id }]);
    expect(await client.SystemHooks.test(hook.id)).toMatchObject({ event_name: 'project_create', path: 'ruby' });
    expect((await receiver.next('/system')).headers['x-gitlab-token']).toBe('y');
    await client.SystemHooks.remove(hook.id);
    expect(await client.SystemHooks.all()).toEqual([]);
  });
});
