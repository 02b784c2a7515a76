import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startReceiver } from '../support/receiver.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const receiver = await startReceiver();
Object.assign(world.imports, { webhookHosts: ['127.0.0.1'] });

describe('The pages of integrations', () => {
  it('list all kinds, set one up, test it, show what was sent and remove it', async () => {
    const owner = await world.user();
    const project = await world.project({ owner });
    await world.issue(project, owner, { title: 'Known' });
    const browser = await signedIn(world, owner);
    const at = `/${project.fullPath}/-/settings/integrations`;
    await browser.get(at);
    for (const name of ['Slack notifications', 'Mattermost', 'Discord', 'Microsoft Teams', 'Custom webhook'])
      expect(browser.page).toContain(name);
    await browser.get(`${at}/slack`);
    expect(browser.page).toContain('name="webhook"');
    const path = `/${world.unique('chat')}/hush-hush`;
    await browser.submit(`${at}/slack`, { webhook: 'http://10.0.0.1/', secrets: 'webhook' });
    expect(browser.page).toContain('private address');
    await browser.submit(`${at}/slack`, {
      webhook: receiver.url(path),
      secrets: 'webhook',
      username: 'gantry',
      active: 'true',
    });
    expect(browser.answer.headers.location).toBe(`${at}/slack`);
    await browser.get(`${at}/slack`);
    expect(browser.page).toContain('One is set');
    expect(browser.page).toContain('value="gantry"');
    expect(browser.page).not.toContain('hush-hush');
    // An empty secret stays.
    await browser.submit(`${at}/slack`, {
      webhook: '',
      secrets: 'webhook',
      username: 'other',
      pipelineEvents: 'false',
      active: 'true',
    });
    const row = await world.db.integration.findFirstOrThrow({ where: { projectId: project.id } });
    expect(row).toMatchObject({ secretNames: ['webhook'], properties: { username: 'other' } });
    expect(row.events).not.toContain('pipeline_events');
    await browser.submit(`${at}/slack/test`, { trigger: 'issues_events' });
    expect(browser.answer.headers.location).toMatch(/\/slack\/deliveries\/\d+$/);
    await browser.get(String(browser.answer.headers.location));
    expect(browser.page).toContain('Nothing');
    await browser.get(`${at}/slack/delete`);
    expect(browser.page).toContain('Remove Slack notifications?');
    await browser.confirm(`${at}/slack/delete`, {});
    expect(await world.db.integration.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('are for masters, owners of the group and administrators alone', LONG, async () => {
    const owner = await world.user();
    const admin = await world.user({ admin: true });
    const developer = await world.user();
    const group = await world.group({ owner });
    const project = await world.project({ owner, namespaceId: group.id });
    await world.member(group, developer, 'developer');
    const browser = await signedIn(world, developer);
    expect((await browser.get(`/${project.fullPath}/-/settings/integrations`)).status).toBe(403);
    expect((await browser.get(`/groups/${group.fullPath}/-/settings/integrations/slack`)).status).toBe(403);
    expect((await browser.get('/admin/integrations')).status).toBe(404);
    const other = await signedIn(world, admin);
    await other.get('/admin/integrations/custom-webhook');
    expect(other.page).toContain('name="template"');
    const given = {
      webhook: receiver.url('/all'),
      template: '{"a": "{{object_kind}}"}',
      secrets: ['webhook', 'authorization'],
      active: 'true',
    };
    await other.submit('/admin/integrations/custom-webhook', given);
    const owned = await signedIn(world, owner);
    await owned.get(`/groups/${group.fullPath}/-/settings/integrations`);
    expect(owned.page).toContain('inherited');
    await other.confirm('/admin/integrations/custom-webhook/delete', {});
    expect(await world.db.integration.count({ where: { slug: 'custom-webhook' } })).toBe(0);
  });
});
