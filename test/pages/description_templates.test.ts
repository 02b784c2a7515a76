import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const [owner, guest] = [await world.user(), await world.user()];
let project: ProjectRow;

const file = (path: string, content: string) =>
  world.api(owner).post(`/projects/${project.id}/repository/files/${encodeURIComponent(path)}`, {
    ...{ branch: 'master', commit_message: `Add ${path}`, content },
  });

/** The text of the field of the description. */
const description = (page: string) => /<textarea id="description"[^>]*>\n?([^<]*)</.exec(page)?.[1];

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'private' });
  await world.member(project, guest, 'guest');
  for (const [path, content] of [
    ['.gitlab/issue_templates/Bug.md', '## Steps\n'],
    ['.gitlab/issue_templates/default.md', '## What\n'],
    ['.gitlab/issue_templates/notes.txt', 'no template'],
    ['.gitlab/merge_request_templates/Default.md', '## Why\n'],
  ] as const) {
    const { status } = await file(path, content);
    expect(status).toBe(201);
  }
});

describe('The description of a new issue', () => {
  it('begins with the template Default of the repository, or the one that was chosen', async () => {
    const browser = await signedIn(world, owner);
    const at = `/${project.fullPath}/-/issues/new`;
    await browser.get(at);
    expect(description(browser.page)).toBe('## What\n');
    expect(browser.page).toContain('issuable_template=Bug');
    expect(browser.page).not.toContain('notes');
    await browser.get(`${at}?issuable_template=bug&title=Broken`);
    expect(description(browser.page)).toBe('## Steps\n');
    expect(browser.page).toContain('value="Broken"');
    await browser.get(`${at}?issuable_template=Nothing`);
    expect(description(browser.page)).toBe('## What\n');
    await browser.get(`${at}?description=Given`);
    expect(description(browser.page)).toBe('Given');
  });

  it('begins with the text of the settings, which those see who cannot read the repository', async () => {
    const at = `/projects/${project.id}`;
    const { body } = await world.api(owner).put(at, { issues_template: '## Settings' });
    expect(body.issues_template).toBe('## Settings');
    for (const user of [owner, guest]) {
      const browser = await signedIn(world, user);
      await browser.get(`/${project.fullPath}/-/issues/new`);
      expect(description(browser.page)).toBe('## Settings');
      expect(browser.page.includes('issuable_template=Bug')).toBe(user === owner);
    }
    const refused = await world.api(owner).put(at, { issues_template: 'x'.repeat(65_537) });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('issues_template')]);
    await world.api(owner).put(at, { issues_template: '' });
    expect((await world.api(owner).get(at)).body.issues_template).toBeNull();
  });

  it('is told to nobody who cannot see the project', async () => {
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { newDescription(kind: ISSUE) { text } } }`;
    const codes = [];
    for (const user of [await world.user(), undefined]) {
      const { body } = await world.graphql(query, { ref: project.fullPath }, user);
      codes.push(body.errors?.[0]?.extensions.code);
    }
    expect(codes).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });
});

describe('The description of a new merge request', () => {
  it('begins with the template of the target, and goes on with what the commit says', LONG, async () => {
    const { status } = await world.api(owner).post(`/projects/${project.id}/repository/commits`, {
      branch: 'feature',
      start_branch: 'master',
      commit_message: 'Add a feature\n\nIt is small.',
      actions: [{ action: 'create', file_path: 'feature.txt', content: 'new' }],
    });
    expect(status).toBe(201);
    const browser = await signedIn(world, owner);
    await browser.get(`/${project.fullPath}/-/merge_requests/new?merge_request[source_branch]=feature`);
    expect(description(browser.page)).toBe('## Why\n\nIt is small.');
  });

  it('has the placeholders of the template filled in, from the branches and the commits', LONG, async () => {
    const names = ['source_branch', 'target_branch', 'first_commit', 'first_multiline_commit_description'];
    const lines = ['all_commits', 'co_authored_by', 'merged_by', 'unknown'].map((name) => `%{${name}}`);
    const template = `${names.map((name) => `${name}: %{${name}}`).join('\n')}\n\n${lines.join('\n')}\n`;
    expect((await file('.gitlab/merge_request_templates/Full.md', template)).status).toBe(201);
    for (const [message, start, author] of [
      ['Begin', { start_branch: 'master' }, {}],
      ['Go on\n\nFor a reason.', {}, { author_name: 'Ann', author_email: 'ann@example.com' }],
    ] as const) {
      const actions = [{ action: 'create', file_path: `${message.slice(0, 2)}.txt`, content: message }];
      const body = { branch: 'wide', commit_message: message, actions, ...start, ...author };
      expect((await world.api(owner).post(`/projects/${project.id}/repository/commits`, body)).status).toBe(201);
    }
    const wanted = [
      'source_branch: wide\ntarget_branch: master\nfirst_commit: Begin\nfirst_multiline_commit_description: For a reason.',
      '* Begin\n\n* Go on\n\nFor a reason.\nCo-authored-by: Ann &lt;ann@example.com&gt;\n%{merged_by}\n%{unknown}',
    ].join('\n\n');
    const browser = await signedIn(world, owner);
    const at = `/${project.fullPath}/-/merge_requests/new?merge_request[source_branch]=wide`;
    await browser.get(`${at}&issuable_template=full`);
    expect(description(browser.page)).toBe(wanted);
    await browser.get(at);
    expect(description(browser.page)).toBe('## Why');
  });

  it(
    'is not followed by the message of the only commit where the template names it, also in the settings',
    LONG,
    async () => {
      const settings = (text: string) =>
        world.api(owner).put(`/projects/${project.id}`, { merge_requests_template: text });
      const query = `query ($ref: ProjectRef!) { project(ref: $ref) {
      mergeRequestPreview(sourceBranch: "feature") { description newDescription { text template templates } } } }`;
      const begun = async () =>
        (await world.graphql(query, { ref: project.fullPath }, owner)).body.data.project.mergeRequestPreview;
      const rest = { template: null, templates: ['Default', 'Full'] };
      await settings('## %{first_multiline_commit}\n%{co_authored_by}\n');
      expect(await begun()).toEqual({
        description: 'It is small.',
        newDescription: { text: '## Add a feature\n\nIt is small.', ...rest },
      });
      await settings('Into %{target_branch}\n');
      expect((await begun()).newDescription).toEqual({ text: 'Into master\n\nIt is small.', ...rest });
      await settings('');
    },
  );
});
