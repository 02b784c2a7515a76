import { describe, expect, it } from 'vitest';
import { LONG } from '../support/long.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const [owner, ann, author] = [await world.user(), await world.user(), await world.user()];

async function stage() {
  const project = await world.project({ owner, visibility: 'private' });
  for (const user of [ann, author]) await world.member(project, user, 'developer');
  await withTopic(world, project, owner);
  const base = `/${project.fullPath}/-`;
  return { project, base, browser: await signedIn(world, owner) };
}

const rulesOf = (projectId: number) =>
  world.db.approvalRule.findMany({
    where: { projectId, mergeRequestId: null },
    include: { users: true, branches: true },
  });

describe('The page of approval rules', () => {
  it('adds, changes and removes rules, and says what is wrong with one', async () => {
    const { project, base, browser } = await stage();
    const at = `${base}/settings/approvals`;
    await browser.get(at);
    expect(browser.page).toContain('There are no rules: no approvals are needed.');
    const fields = { name: 'Security', approvalsRequired: '2', groupPaths: '', appliesToAllProtectedBranches: 'false' };
    await browser.submit(at, { ...fields, usernames: 'nobody-there', protectedBranchIds: '' });
    expect(browser.page).toContain('has no developer nobody-there of this project');
    const { id: branch } = await world.db.protectedBranch.findFirstOrThrow({ where: { projectId: project.id } });
    await browser.submit(at, {
      ...fields,
      usernames: `${ann.username}, ${author.username}`,
      protectedBranchIds: ['', String(branch)],
    });
    const [made] = await rulesOf(project.id);
    expect(made).toMatchObject({ name: 'Security', approvalsRequired: 2, branches: [{ protectedBranchId: branch }] });
    expect(made?.users.map(({ userId }) => userId).sort()).toEqual([ann.id, author.id].sort());
    await browser.get(at);
    expect(browser.page).toContain('2 approvals');
    await browser.get(`${at}/${made?.id}/edit`);
    await browser.submit(`${at}/${made?.id}/edit`, {
      ...fields,
      name: 'Safety',
      usernames: ann.username,
      protectedBranchIds: '',
    });
    expect(await rulesOf(project.id)).toMatchObject([{ name: 'Safety', users: [{ userId: ann.id }], branches: [] }]);
    await browser.submit(`${at}/settings`, { mergeRequestsAuthorApproval: 'true', resetApprovalsOnPush: 'false' });
    expect(await world.db.project.findUnique({ where: { id: project.id } })).toMatchObject({
      mergeRequestsAuthorApproval: true,
    });
    await browser.get(`${at}/${made?.id}/delete`);
    await browser.confirm(`${at}/${made?.id}/delete`);
    expect(await rulesOf(project.id)).toEqual([]);
  });

  it('is for masters', LONG, async () => {
    const { base } = await stage();
    const browser = await signedIn(world, ann);
    expect((await browser.get(`${base}/settings/approvals`)).status).toBe(404);
  });
});

describe('The page of a merge request', () => {
  it('shows the rules with who approved and who can, and offers to merge once approved', LONG, async () => {
    const { project, base, browser } = await stage();
    await world.api(owner).post(`/projects/${project.id}/approval_rules`, {
      ...{ name: 'Security', approvals_required: 1, user_ids: [ann.id] },
    });
    const { iid } = await opened(world, project, author);
    const at = `${base}/merge_requests/${iid}`;
    await browser.get(at);
    for (const text of [
      'Security',
      '0 of 1 approval',
      'Can be approved by',
      'More approvals are needed',
      'Merge when approved',
    ])
      expect(browser.page).toContain(text);
    await browser.submit(`${at}/merge`, { sha: '', whenPipelineSucceeds: 'true' });
    expect((await world.api(ann).post(`/projects/${project.id}/merge_requests/${iid}/approve`)).status).toBe(201);
    await world.idle();
    await browser.get(at);
    expect(browser.page).toContain('1 of 1 approval');
    expect(browser.page).toContain('Merged by');
  });
});

describe('Code owners', () => {
  it(
    'stand on the page of a file, with what is wrong on that of CODEOWNERS, and are asked for by a protection',
    LONG,
    async () => {
      const { project, base, browser } = await stage();
      await commitTo(
        world,
        project,
        owner,
        'master',
        'CODEOWNERS',
        `[Texts]\n*.txt @${ann.username} @@maintainers\n*.md\n[Other]\n* @@nobody\n`,
      );
      await browser.get(`${base}/blob/master/a.txt`);
      expect(browser.page).toContain('id="code-owners"');
      expect(browser.page).toContain('each maintainer (Texts)');
      await browser.get(`${base}/blob/master/CODEOWNERS`);
      expect(browser.page).toContain('Line 3: the pattern has no owners');
      expect(browser.page).toContain('Line 5: an owner is no user, role or group of this project');
      const at = `${base}/settings/repository`;
      await browser.get(at);
      await browser.submit(`${at}/branches/code_owners`, { name: 'master', codeOwnerApprovalRequired: 'true' });
      expect(await world.db.protectedBranch.findMany({ where: { projectId: project.id } })).toMatchObject([
        { name: 'master', codeOwnerApprovalRequired: true },
      ]);
      await browser.get(at);
      expect(browser.page).toContain('code owners approve');
    },
  );
});
