import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerToAdministrator, openAsAdministrator } from '../support/administrator.ts';
import { launchChromium, type openContext } from '../support/chromium.ts';
import { faultsOfPages, keep } from '../support/page_faults.ts';
import { type ServerProcess, startServer } from '../support/server_process.ts';
import { newKey } from '../support/ssh_keys.ts';

let server: ServerProcess;
let browser: Browser;
/** Full paths of a project and of a group, and IDs of what is in them. */
let project = '';
let group = '';
const ids = { hook: 0, delivery: 0, token: 0, badge: 0, key: 0, mirror: 0, member: 0, deploy: 0 };

beforeAll(async () => {
  server = await startServer({ PATH: process.env.PATH, HOME: process.env.HOME }, ['--ephemeral']);
  browser = await launchChromium();
  await fill();
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await server?.end('SIGTERM');
});

/** What the REST API answers to the administrator. */
const api = (method: string, at: string, body?: object) => answerToAdministrator(server, method, at, body);

async function fill(): Promise<void> {
  const made = await api('POST', '/groups', { name: 'Settings group', path: 'settings-group', visibility: 'public' });
  group = made.full_path;
  const held = await api('POST', '/projects', { name: 'settings-project', namespace_id: made.id });
  project = held.path_with_namespace;
  const user = { name: 'Ada Member', username: 'ada-member', email: 'ada@example.com', password: 'long enough 1815' };
  ids.member = (await api('POST', '/users', { ...user, skip_confirmation: true })).id;
  for (const at of [`/projects/${held.id}`, `/groups/${made.id}`]) {
    await api('POST', `${at}/members`, { user_id: ids.member, access_level: 30, expires_at: '2099-01-01' });
    await api('POST', `${at}/variables`, { key: 'DEPLOY_SECRET', value: 'a-masked-value', masked: true });
    await api('POST', `${at}/deploy_tokens`, { name: 'Mirror', scopes: ['read_repository'] });
  }
  const at = `/projects/${held.id}`;
  const file = { branch: 'main', content: '# Hello', commit_message: 'Add a page' };
  await api('POST', `${at}/repository/files/README.md`, file);
  await api('POST', `${at}/repository/files/${encodeURIComponent('.gitlab/issue_templates/Bug.md')}`, file);
  for (let number = 1; number <= 3; number++) await api('POST', `${at}/issues`, { title: `Issue ${number}` });
  ids.hook = (await api('POST', `${at}/hooks`, { url: 'https://127.0.0.1:1/a-receiver', token: 'secret' })).id;
  ids.badge = (
    await api('POST', `${at}/badges`, {
      name: 'Pipeline',
      link_url: 'https://a.example',
      image_url: 'https://b.example',
    })
  ).id;
  ids.key = (await api('POST', `${at}/deploy_keys`, { title: 'Builder', key: newKey(), can_push: true })).id;
  ids.token = (await api('POST', `${at}/access_tokens`, { name: 'Robot', scopes: ['api'], access_level: 30 })).id;
  ids.mirror = (
    await api('POST', `${at}/remote_mirrors`, { url: 'https://me:token@example.com/x.git', enabled: false })
  ).id;
  ids.deploy = (await api('GET', `${at}/deploy_tokens`))[0].id;
  await api('POST', `${at}/protected_tags`, { name: 'v*' });
}

const signedIn = (options?: Parameters<typeof openContext>[2]) => openAsAdministrator(browser, server, options);

/** All pages of settings, by name. */
function pages(): Record<string, string> {
  const at = `/${project}/-`;
  const settings = `${at}/settings`;
  const ofGroup = `/groups/${group}/-`;
  return {
    general: `${settings}/general`,
    archive: `${settings}/general/archive`,
    path: `${settings}/general/path`,
    transfer: `${settings}/general/transfer`,
    delete: `${settings}/general/delete`,
    merge_requests: `${settings}/merge_requests`,
    templates: `${settings}/templates`,
    badges: `${settings}/badges`,
    badge_edit: `${settings}/badges/${ids.badge}/edit`,
    members: `${at}/project_members`,
    members_new: `${at}/project_members/new`,
    member_edit: `${at}/project_members/${ids.member}/edit`,
    member_remove: `${at}/project_members/${ids.member}/remove`,
    invitations: `${at}/project_members/invitations`,
    invite: `${at}/project_members/invitations/new`,
    shares: `${at}/project_members/groups`,
    requests: `${at}/project_members/requests`,
    access_tokens: `${settings}/access_tokens`,
    access_token_new: `${settings}/access_tokens/new`,
    access_token_rotate: `${settings}/access_tokens/${ids.token}/rotate`,
    deploy_tokens: `${settings}/deploy_tokens`,
    deploy_token_new: `${settings}/deploy_tokens/new`,
    deploy_token_revoke: `${settings}/deploy_tokens/${ids.deploy}/revoke`,
    deploy_keys: `${settings}/deploy_keys`,
    deploy_key_new: `${settings}/deploy_keys/new`,
    deploy_key_remove: `${settings}/deploy_keys/${ids.key}/remove`,
    hooks: `${at}/hooks`,
    hook: `${at}/hooks/${ids.hook}`,
    hook_new: `${at}/hooks/new`,
    hook_edit: `${at}/hooks/${ids.hook}/edit`,
    pipelines: `${settings}/ci_cd`,
    variables: `${settings}/ci_cd/variables`,
    variable_new: `${settings}/ci_cd/variables/new`,
    variable_edit: `${settings}/ci_cd/variables/DEPLOY_SECRET/edit`,
    repository: `${settings}/repository`,
    unprotect: `${settings}/repository/tags/unprotect?name=v*`,
    mirrors: `${settings}/mirrors`,
    mirror_remove: `${settings}/mirrors/${ids.mirror}/remove`,
    storage: `${settings}/packages_and_registries`,
    packages: `${at}/packages`,
    registry: `${at}/container_registry`,
    export: `${settings}/export`,
    group_general: `${ofGroup}/settings/general`,
    group_delete: `${ofGroup}/settings/general/delete`,
    group_members: `${ofGroup}/group_members`,
    group_tokens: `${ofGroup}/settings/access_tokens`,
    group_deploy_tokens: `${ofGroup}/settings/repository`,
    group_variables: `${ofGroup}/settings/ci_cd`,
    group_hooks: `${ofGroup}/hooks`,
    group_badges: `${ofGroup}/settings/badges`,
    group_packages: `${ofGroup}/packages`,
    group_usage: `${ofGroup}/usage_quotas`,
  };
}

it('every page of settings is there, fits wide and narrow windows, and has no fault that axe finds', async () => {
  const { page, context, troubles } = await signedIn();
  expect(await faultsOfPages(page, pages())).toEqual([]);
  expect(troubles).toEqual([]);
  await context.close();
}, 300_000);

it('a token is made by the keyboard and shown once, with scripts off', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(`/${project}/-/settings/access_tokens/new`);
  await page.getByLabel('Name').focus();
  await page.keyboard.type('By keys');
  for (const _ of ['description', 'role', 'day']) await page.keyboard.press('Tab');
  const box = page.getByRole('checkbox').first();
  await box.focus();
  await page.keyboard.press('Space');
  expect(await box.isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Create token' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('status').waitFor();
  expect((await page.locator('.secret').innerText()).length).toBeGreaterThan(15);
  await page.getByRole('link', { name: 'All access tokens' }).click();
  expect(await page.getByRole('link', { name: 'Rotate By keys' }).isVisible()).toBe(true);
  expect(await page.locator('.secret').count()).toBe(0);
  await context.close();
});

it('a project is deleted only after its path was typed, with scripts off', async () => {
  const made = await api('POST', '/projects', { name: 'to-be-gone' });
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(`/${made.path_with_namespace}/-/settings/general`);
  await page.getByRole('link', { name: 'Delete project' }).click();
  await page.getByLabel(/Type/).fill('something else');
  await page.getByRole('button', { name: 'Delete project' }).click();
  expect(await page.getByRole('alert').first().innerText()).toContain('This is not the path.');
  await keep(page, 'delete_refused');
  await page.getByLabel(/Type/).fill(made.path_with_namespace);
  await page.getByRole('button', { name: 'Delete project' }).click();
  await page.waitForURL('**/explore');
  expect((await page.goto(`/${made.path_with_namespace}`))?.status()).toBe(404);
  await context.close();
});
