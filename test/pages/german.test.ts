// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { readCatalogue, withoutContext } from '#src/platform/texts/texts.ts';
import { Browser } from '../support/browser.ts';
import { projectWithCommit } from '../support/ci.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();

const catalogue = readCatalogue('de');

/** Runs of at least two words of a message, without its places and tags. */
const wordsOf = (message: string) =>
  withoutContext(message)
    .split(/<\/?\w+>|\{\w+(?:, plural,)?|[{}#]|\b(?:one|other) (?=\{)/)
    .map((part) => part.trim())
    .filter((part) => /\p{L}{2,}[ ’]\p{L}{2,}/u.test(part));

/** English texts that are read otherwise in German, whole where they have no places, and parts of them. */
const whole = new Set(
  Object.entries(catalogue)
    .filter(([english, german]) => withoutContext(english) !== german && !/[<{]/.test(english))
    .map(([english]) => withoutContext(english)),
);
const inGerman = Object.values(catalogue).join('\n');
const parts = [...new Set(Object.keys(catalogue).flatMap(wordsOf))].filter((part) => !inGerman.includes(part));

/** A branch and a scope, which are called so in all languages. */
const NAMES = ['master', 'email'];

/** What people read of a page: its texts, and attributes that are read out. */
function textsOn(html: string): string[] {
  const visible = html.replace(/<(script|style|pre|noscript|textarea)\b[\s\S]*?<\/\1>/g, '');
  const attributes = [
    ...visible.matchAll(
      /\s(?:title|placeholder|aria-label|data-(?:preview|write|empty|unavailable|suggestions|review|copied|local))="([^"]*)"/g,
    ),
  ].map(([, value = '']) => value);
  return [...visible.replace(/<[^>]*>/g, '\n').split('\n'), ...attributes].map((text) => text.trim()).filter(Boolean);
}

/** English texts of the catalogue on a page. */
function englishOn(html: string): string[] {
  const isEnglish = (text: string) => whole.has(text) || parts.some((part) => text.includes(part));
  return textsOn(html).filter((text) => isEnglish(text) && !NAMES.includes(text));
}

/** Gets pages as a German browser. Returns what is not German on them, by address. */
async function notGerman(browser: Browser, addresses: readonly string[]) {
  const found: Record<string, unknown> = {};
  for (const address of addresses) {
    const { status, headers } = await browser.get(address, { 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.5' });
    const english = englishOn(browser.page);
    const isGerman = browser.page.includes('<html lang="de"') && headers['content-language'] === 'de';
    if (status !== 200 || !isGerman || english.length > 0) found[address] = { status, isGerman, english };
  }
  return found;
}

it('finds English texts on a page, whole and in part', () => {
  expect(englishOn('<h1>Issues</h1><p>No issues match.</p>')).toEqual(['No issues match.']);
  expect(englishOn('<p><b>Ada</b> opened this issue today</p>')).toEqual(['opened this issue today']);
  expect(englishOn('<input placeholder="Search issues">')).toEqual(['Search issues']);
  expect(englishOn('<h1>Neues Issue</h1>')).toEqual([]);
});

it('shows a German browser the pages of planning, merge requests and releases in German', async () => {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  const api = world.api(owner);
  await withTopic(world, project, owner);
  const milestone = await world.milestone(project, owner, { title: 'Ziel', dueDate: '2026-12-01' });
  await world.label(project, owner, 'Fehler');
  const { iid } = await world.issue(project, owner, {
    title: 'Kaputt',
    description: '- [ ] eins\n- [x] zwei',
    labels: ['Fehler'],
    assigneeIds: [owner.id],
    milestoneId: milestone.id,
  });
  await api.post(`/projects/${project.id}/issues/${iid}/discussions`, { body: 'Ein **Thread**' });
  const request = await opened(world, project, owner, { title: 'Ausbau', assigneeIds: [owner.id] });
  await api.post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'master' });
  await api.post(`/projects/${project.id}/releases`, { tag_name: 'v1', name: 'Erstes', description: 'Neu' });
  const file = { title: 'Notiz', file_name: 'a.txt', content: 'Inhalt', visibility: 'public' };
  const { body: snippet } = await api.post(`/projects/${project.id}/snippets`, file);
  const board = await world.db.board.findFirstOrThrow({ where: { projectId: project.id } });
  const label = await world.db.label.findFirstOrThrow({ where: { projectId: project.id } });
  const labelId = Buffer.from(`Label:${label.id}`).toString('base64url');
  await world.idle();
  const browser = await signedIn(world, owner);
  const below = [
    ...['', '/new', `/${iid}/edit`, `/${iid}/move`, `/${iid}/delete`, `/${iid}`].map((at) => `issues${at}`),
    ...['new', board.id, `${board.id}/edit`].map((at) => `boards/${at}`),
    ...['', '/new', `/${labelId}/edit`, `/${labelId}/delete`].map((at) => `labels${at}`),
    ...['', '/new', `/${milestone.iid}`, `/${milestone.iid}/edit`].map((at) => `milestones${at}`),
    ...['', '/new'].map((at) => `merge_requests${at}`),
    ...['', '/commits', '/pipelines', '/diffs', '/edit'].map((at) => `merge_requests/${request.iid}${at}`),
    ...['', '/new', '/v1', '/v1/edit', '/v1/delete'].map((at) => `releases${at}`),
    ...['', `/${snippet.id}`, `/${snippet.id}/history`].map((at) => `snippets${at}`),
    ...['main', 'main/files'].map((at) => `snippets/${snippet.id}/history/${at}`),
    'activity',
    'project_members',
    'project_members/invitations',
  ].map((at) => `/${project.fullPath}/-/${at}`);
  expect(await notGerman(browser, [`/${project.fullPath}`, ...below])).toEqual({});
  await browser.get(`/${project.fullPath}/-/issues/${iid}`, { 'Accept-Language': 'de' });
  expect(browser.page).toContain('hat dieses Issue');
  expect(browser.page).toContain('1 von 2 Aufgaben erledigt');
  expect(browser.page).toContain('Issue schließen</button>');
  await browser.get(`/${project.fullPath}/-/issues/${iid}`, { 'Accept-Language': 'fr, en;q=0.5' });
  expect(browser.page).toContain('opened this issue');
  expect(browser.page).toContain('<html lang="en"');
});

it('shows a German browser the start page, lists of places, groups, users and search in German', async () => {
  const owner = await world.user();
  const group = await world.group({ owner });
  const project = await world.project({ owner, namespaceId: group.id });
  await world.issue(project, owner, { title: 'Kaputt', assigneeIds: [owner.id] });
  const browser = await signedIn(world, owner);
  const empty = await signedIn(world, await world.user());
  const addresses = ['/', '/dashboard/todos', '/dashboard/issues', '/dashboard/merge_requests', '/explore'];
  addresses.push(
    '/explore/groups',
    '/projects/new',
    '/projects/import',
    '/projects/import/archive',
    '/groups/new',
    '/groups/import/server',
    '/search',
    '/search?search=Kaputt&scope=issues',
  );
  addresses.push('/search?search=nirgends', `/${owner.username}`);
  const ofGroup = [
    '',
    '/-/issues',
    '/-/merge_requests',
    '/-/activity',
    '/-/group_members',
    '/-/labels',
    '/-/milestones',
  ];
  const inGroup = ofGroup.map((at) => `/groups/${group.fullPath}${at}`);
  expect(await notGerman(browser, [...addresses, ...inGroup])).toEqual({});
  expect(await notGerman(empty, addresses)).toEqual({});
});

it('shows a German browser the pages of files, commits, pipelines and what belongs to them in German', async () => {
  const owner = await world.user();
  const { project, sha } = await projectWithCommit(world, owner, {
    config: 'unit:\n  script: make\n',
    visibility: 'public',
  });
  const api = world.api(owner);
  await api.post(`/projects/${project.id}/repository/tags`, { tag_name: 'v1', ref: 'master' });
  await api.post(`/projects/${project.id}/repository/branches`, { branch: 'entwurf', ref: 'master' });
  const { body: schedule } = await api.post(`/projects/${project.id}/pipeline_schedules`, {
    ...{ description: 'Nachts', ref: 'master', cron: '30 4 * * *', cron_timezone: 'Europe/Berlin' },
  });
  const { body: pipeline } = await api.post(`/projects/${project.id}/pipeline`, { ref: 'master' });
  const users = { projectId: project.id, iid: 1, name: 'Tester', userXids: '1' };
  await world.db.featureFlagUserList.create({ data: users });
  const strategy = { name: 'userWithId', parameters: { userIds: '1' }, scopes: [{ environment_scope: 'live' }] };
  await api.post(`/projects/${project.id}/feature_flags`, { name: 'schalter', strategies: [strategy] });
  const job = await world.db.job.findFirstOrThrow({ where: { pipelineId: pipeline.id } });
  const environment = await world.db.environment.create({
    data: { projectId: project.id, name: 'live', slug: world.unique('slug') },
  });
  await world.idle();
  const browser = await signedIn(world, owner);
  const files = ['tree/master', 'blob/master/.gitlab-ci.yml', 'blame/master/.gitlab-ci.yml', 'find_file/master'];
  const changed = ['new/master', 'upload/master', 'edit/master', 'rename/master', 'delete/master'];
  const below = [
    ...files,
    ...changed.map((at, index) => (index < 2 ? at : `${at}/.gitlab-ci.yml`)),
    ...['commits/master', 'commits/master?search=config', `commit/${sha}`, 'branches', 'branches?search=nirgends'],
    ...['tags', 'tags?search=nirgends', 'compare', 'compare/master...entwurf', 'compare/master...v1'],
    ...['pipelines', `pipelines/${pipeline.id}`, `pipelines/${pipeline.id}/test_report`, 'pipelines/charts'],
    ...['jobs', 'jobs?scope=failed', `jobs/${job.id}`, 'ci/lint', 'ci/lint?ref=master'],
    ...['pipeline_schedules', 'pipeline_schedules/new', `pipeline_schedules/${schedule.id}`],
    ...['edit', 'delete'].map((at) => `pipeline_schedules/${schedule.id}/${at}`),
    ...['environments', `environments/${environment.id}`, `environments/${environment.id}/stop`],
    ...['feature_flags', 'feature_flags/new', 'feature_flags/1', 'feature_flags/1/edit', 'feature_flags_client'],
    ...['feature_flags_user_lists', 'feature_flags_user_lists/new', 'feature_flags_user_lists/1'],
    ...['runners', 'runners/new', 'audit_events'],
  ].map((at) => `/${project.fullPath}/-/${at}`);
  expect(await notGerman(browser, below)).toEqual({});
  await browser.get(`/${project.fullPath}/-/pipelines/${pipeline.id}`, { 'Accept-Language': 'de' });
  expect(browser.page).toContain('über die API gestartet');
});

it('shows a German browser the pages of accounts in German', async () => {
  const user = await world.user();
  const addresses = ['/users/sign_in', '/users/sign_up', '/users/password/new', '/users/confirmation/new', '/-/docs'];
  expect(await notGerman(new Browser(world.send), addresses)).toEqual({});
  const browser = await signedIn(world, user);
  const own = ['/profile', '/profile/account', '/profile/personal_access_tokens', '/profile/private_token'];
  own.push('/profile/applications', '/profile/applications/new', '/users/sign_out', '/oauth/device');
  expect(await notGerman(browser, own)).toEqual({});
});
